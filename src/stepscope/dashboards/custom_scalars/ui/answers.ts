// Asks the server for layouts, and has it keep the one made on the page.
import { getJson, patchJson } from '$web/api/client';

/** Tags of a line and of the edges around it. */
export interface Band {
  value: string;
  lower: string;
  upper: string;
}

/** Lines of all tags that a pattern matches from their start, or bands. */
export interface Chart {
  title: string;
  patterns: string[];
  bands: Band[];
}

export interface Category {
  title: string;
  charts: Chart[];
  closed: boolean;
}

export interface Layouts {
  own: Category[];
  logged: Category[];
  /** Sentences about what could not be read. */
  problems: string[];
}

export const fetchLayouts = (fold: boolean, signal: AbortSignal): Promise<Layouts> =>
  getJson(`custom_scalars/layout?fold=${fold}`, signal);

export async function keepLayout(categories: readonly Category[]): Promise<void> {
  await patchJson('custom_scalars/layout', { categories });
}
