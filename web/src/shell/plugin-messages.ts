// Speaks with a TensorBoard plugin in its frame, in the words of TensorBoard's page: runs, the plugin's part of the address, reloads.

/** What a plugin sends first, with a port for everything else. */
const HELLO = 'experimental.bootstrap';
const GET_RUNS = 'experimental.GetRuns';
const RUNS_CHANGED = 'experimental.RunsChanged';
const GET_URL_DATA = 'experimental.GetURLPluginData';
const RELOADED = 'experimental.DataReloaded';

interface Message {
  type: string;
  id: number;
  payload: unknown;
  error: string | null;
  isReply: boolean;
}

function readMessage(data: unknown): Message | null {
  try {
    const found: unknown = typeof data === 'string' ? JSON.parse(data) : null;
    if (typeof found !== 'object' || found === null || !('type' in found) || !('id' in found)) return null;
    if (typeof found.type !== 'string' || typeof found.id !== 'number') return null;
    const isReply = 'isReply' in found && found.isReply === true;
    return { type: found.type, id: found.id, payload: 'payload' in found ? found.payload : null, error: null, isReply };
  } catch {
    return null;
  }
}

/** The plugin's own words in an address such as `#name&p.name.key=value`. */
function urlData(hash: string, payload: unknown): Record<string, string> {
  const plugin = typeof payload === 'object' && payload !== null && 'pluginName' in payload ? payload.pluginName : '';
  if (typeof plugin !== 'string' || plugin === '') return {};
  const words = new URLSearchParams(hash.replace(/^#[^&?]*[&?]?/, ''));
  const start = `p.${plugin}.`;
  return Object.fromEntries(
    [...words].filter(([key]) => key.startsWith(start)).map(([key, value]) => [key.slice(start.length), value]),
  );
}

/** One frame's conversation. `runs` are the names of all runs, `hash` the page's address after '#'. */
export class PluginMessages {
  private readonly ports: MessagePort[] = [];
  private sent = 0;

  constructor(
    private readonly runs: () => readonly string[],
    private readonly hash: () => string,
  ) {}

  /** Takes a message of the window; only the frame itself, on this site, is listened to. */
  take(event: Pick<MessageEvent, 'data' | 'source' | 'origin' | 'ports'>, frame: Window | null, site: string): void {
    const port = event.ports[0];
    if (event.data !== HELLO || frame === null || event.source !== frame || event.origin !== site || port === undefined)
      return;
    port.onmessage = (message) => this.reply(port, message.data);
    this.ports.push(port);
  }

  runsChanged(): void {
    this.tell(RUNS_CHANGED, this.runs());
  }

  reloaded(): void {
    this.tell(RELOADED, null);
  }

  close(): void {
    for (const port of this.ports.splice(0)) port.close();
  }

  private tell(type: string, payload: unknown): void {
    for (const port of this.ports)
      port.postMessage(
        JSON.stringify({ type, id: this.sent++, payload, error: null, isReply: false } satisfies Message),
      );
  }

  private reply(port: MessagePort, data: unknown): void {
    const asked = readMessage(data);
    if (asked === null || asked.isReply) return;
    const payload =
      asked.type === GET_RUNS ? this.runs() : asked.type === GET_URL_DATA ? urlData(this.hash(), asked.payload) : null;
    port.postMessage(JSON.stringify({ ...asked, payload, isReply: true } satisfies Message));
  }
}
