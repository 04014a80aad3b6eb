// The rows that are picked for an action on all of them; a pick is gone with the page and is in no address.
import { ranged, toggledPick } from '../runs/picked';
import type { Row } from '../runs/rows';
import { runs } from './runs.svelte';

class Picked {
  private ids = $state.raw<ReadonlySet<string>>(new Set());
  private last: string | null = null;
  /** In the order of the list; a row that is gone or put away meanwhile is no longer picked. */
  readonly rows = $derived(runs.rows.filter((row) => this.ids.has(row.id)));

  has(row: Row): boolean {
    return this.ids.has(row.id);
  }

  toggle(row: Row): void {
    this.ids = toggledPick(this.ids, row.id);
    this.last = row.id;
  }

  /** All from the row that was picked last to this one, as they are listed. */
  upTo(row: Row, listed: readonly Row[]): void {
    this.ids = ranged(
      this.ids,
      listed.map((one) => one.id),
      this.last,
      row.id,
    );
    this.last = row.id;
  }

  all(rows: readonly Row[]): void {
    this.ids = new Set(rows.map((row) => row.id));
  }

  clear(): void {
    this.ids = new Set();
    this.last = null;
  }
}

export const picked = new Picked();
