// Short messages at the foot of the page: what was done, or why it was not.

export interface Message {
  id: number;
  text: string;
  trouble: boolean;
}

const SHOWN_MS = 4000;
const TROUBLE_MS = 10_000;

class Messages {
  list = $state.raw<readonly Message[]>([]);
  private serial = 0;

  say(text: string): void {
    this.add(text, false, SHOWN_MS);
  }

  fail(error: unknown): void {
    this.add(error instanceof Error ? error.message : String(error), true, TROUBLE_MS);
  }

  dismiss(id: number): void {
    this.list = this.list.filter((message) => message.id !== id);
  }

  private add(text: string, trouble: boolean, shownMs: number): void {
    const id = ++this.serial;
    this.list = [...this.list.filter((message) => message.text !== text), { id, text, trouble }].slice(-3);
    setTimeout(() => this.dismiss(id), shownMs);
  }
}

export const messages = new Messages();
