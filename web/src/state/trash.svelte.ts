// Which dialog of the trash is open: the question before runs are deleted, or the list of deleted ones.
import type { Row } from '../runs/rows';

class Trash {
  /** Rows that the user is asked about; null while nobody deletes. */
  toDelete = $state.raw<readonly Row[] | null>(null);
  listOpen = $state.raw(false);

  /** Asks about rows; without any there is nothing to ask. */
  ask(rows: readonly Row[]): void {
    this.listOpen = false;
    this.toDelete = rows.length === 0 ? null : rows;
  }

  openList(): void {
    this.toDelete = null;
    this.listOpen = true;
  }

  close(): void {
    this.toDelete = null;
    this.listOpen = false;
  }
}

export const trash = new Trash();
