// The sessions of the folder and what is being shown of the chosen one: fetched, followed while reading, and cancelled.
import { untrack } from 'svelte';
import { isAbort } from '$web/api/client';
import { view } from '$web/state/choices.svelte';
import { folder } from '$web/state/folder.svelte';
import {
  fetchReport,
  fetchSessions,
  type Fetch,
  type PartQuestion,
  type Question,
  type Reading,
  type Session,
} from './answers';
import { sessionOf, workerIn } from './session/chosen-session';

/** What one part of the tab is showing. */
export type Shown<Value> =
  | { state: 'reading'; progress: Reading | null }
  | { state: 'ready'; value: Value }
  | { state: 'broken'; reason: string }
  | { state: 'cancelled' };

class SessionList {
  list = $state.raw<readonly Session[] | null>(null);
  problem = $state.raw<string | null>(null);

  /** Requests on their way. */
  private asking = 0;

  async refresh(): Promise<void> {
    this.asking += 1;
    try {
      const list = await fetchSessions();
      // The same object while nothing changed, so that nothing is read again.
      if (JSON.stringify(list) !== JSON.stringify(this.list)) this.list = list;
      this.problem = null;
    } catch (error) {
      if (this.list === null) this.problem = error instanceof Error ? error.message : String(error);
    } finally {
      this.asking -= 1;
    }
  }

  /** Fetches the list, unless it is already on its way, and again whenever the folder's runs change. */
  follow(): void {
    let known = this.asking > 0 ? folder.runs : null;
    $effect(() => {
      const { runs } = folder;
      if (runs !== known) void this.refresh();
      known = runs;
    });
  }

  get chosen(): Session | undefined {
    return sessionOf(this.list ?? [], view.profile.session);
  }
}

export const sessions = new SessionList();

/** The worker that parts of one worker show. */
export const workerOf = (session: Session): string => workerIn(session, view.profile.worker);

/** What the overview asks; whoever tries again asks the same. */
export function reportQuestion({ id }: Session): PartQuestion<'report'> {
  const { stepsBy, stepMs, batch, tokens } = view.profile;
  return { session: id, steps: stepsBy, step_ms: stepMs, batch, tokens };
}

/** A question is about the range that the page shows, unless it names another. */
function inRange<Asked extends object>(question: Asked): Asked {
  return { range: view.profile.range, ...question };
}

/** Reads one answer about a session, and reads it anew when `wanted` names another. */
export class Read<Value, Asked extends object = Question> {
  shown = $state.raw<Shown<Value>>({ state: 'reading', progress: null });
  /** Whether another answer than the shown one is being read. */
  pending = $state.raw(false);
  private controller: AbortController | null = null;
  private asked = '';

  constructor(private readonly fetch: Fetch<Value, Asked>) {}

  /** Reads what an effect asks for, and what was shown of another question goes at once; answers how to stop. */
  follow(asked: Asked): () => void {
    const question = inRange(asked);
    const wanted = JSON.stringify(question);
    untrack(() => {
      if (this.asked !== wanted) this.forget();
    });
    this.asked = wanted;
    untrack(() => void this.read(question));
    return () => this.stop();
  }

  /** Shows an answer that was read elsewhere. */
  adopt(asked: Asked, value: Value): void {
    this.asked = JSON.stringify(inRange(asked));
    this.shown = { state: 'ready', value };
  }

  /** Begins to read. Called from effects, which must not depend on what it shows. */
  start(asked: Asked): void {
    const question = inRange(asked);
    untrack(() => void this.read(question));
  }

  /** Reads again; what is shown stays until the new answer is there. */
  again(asked: Asked): Promise<void> {
    return this.read(inRange(asked));
  }

  private async read(question: Asked): Promise<void> {
    this.controller?.abort();
    const controller = new AbortController();
    this.controller = controller;
    this.pending = true;
    // What is on screen stays until there is something better: a growing file must not make the page blink.
    if (this.shown.state !== 'ready') this.shown = { state: 'reading', progress: null };
    try {
      const value = await this.fetch(question, controller.signal, (progress) => {
        if (this.controller === controller && this.shown.state !== 'ready') this.shown = { state: 'reading', progress };
      });
      if (this.controller !== controller) return;
      this.shown = { state: 'ready', value };
      this.pending = false;
    } catch (error) {
      if (this.controller !== controller || isAbort(error)) return;
      this.pending = false;
      this.shown = { state: 'broken', reason: error instanceof Error ? error.message : String(error) };
    }
  }

  /** Another session is another page: what was shown of the old one goes at once. */
  forget(): void {
    this.shown = { state: 'reading', progress: null };
  }

  retry(question: Asked): void {
    this.forget();
    this.start(question);
  }

  stop(): void {
    this.controller?.abort();
    this.controller = null;
  }

  cancel(): void {
    this.stop();
    this.shown = { state: 'cancelled' };
  }
}

/** The overview of all steps: what a range is chosen from while one is shown. */
export const whole = new Read(fetchReport);
