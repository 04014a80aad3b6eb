// The words of TensorBoard's page, as its plugins send and expect them.
import { describe, expect, it } from 'vitest';
import { PluginMessages } from './plugin-messages';

const SITE = 'http://localhost';

function connected(runs: string[], hash = '') {
  const frame = {} as Window;
  const messages = new PluginMessages(
    () => runs,
    () => hash,
  );
  const { port1, port2 } = new MessageChannel();
  const heard: unknown[] = [];
  let wake = (): void => undefined;
  port1.onmessage = (event: MessageEvent<string>) => {
    heard.push(JSON.parse(event.data));
    wake();
  };
  messages.take({ data: 'experimental.bootstrap', source: frame, origin: SITE, ports: [port2] }, frame, SITE);
  const next = async (): Promise<unknown> => {
    if (heard.length === 0) await new Promise<void>((resolve) => (wake = resolve));
    return heard.shift();
  };
  const ask = (type: string, payload: unknown = null): Promise<unknown> => {
    port1.postMessage(JSON.stringify({ type, id: 7, payload, error: null, isReply: false }));
    return next();
  };
  return { messages, ask, next, port1, frame };
}

describe('a plugin', () => {
  it('is told the runs, once when it asks and again when they change', async () => {
    const { messages, ask, next, port1 } = connected(['a', 'b/c']);
    const answer = { type: 'experimental.GetRuns', id: 7, payload: ['a', 'b/c'], error: null, isReply: true };
    expect(await ask('experimental.GetRuns')).toEqual(answer);
    messages.runsChanged();
    expect(await next()).toMatchObject({ type: 'experimental.RunsChanged', payload: ['a', 'b/c'], isReply: false });
    messages.reloaded();
    expect(await next()).toMatchObject({ type: 'experimental.DataReloaded', isReply: false });
    messages.close();
    port1.close();
  });

  it('is told its own part of the address', async () => {
    const { ask, messages, port1 } = connected([], '#mine&p.mine.view=big%20one&p.other.view=no&tagFilter=x');
    const asked = await ask('experimental.GetURLPluginData', { pluginName: 'mine' });
    expect(asked).toMatchObject({ payload: { view: 'big one' }, isReply: true });
    expect(await ask('experimental.GetURLPluginData', null)).toMatchObject({ payload: {} });
    expect(await ask('something else')).toMatchObject({ payload: null, isReply: true });
    messages.close();
    port1.close();
  });
});

it('listens to its own frame on its own site alone', () => {
  const frame = {} as Window;
  const messages = new PluginMessages(
    () => [],
    () => '',
  );
  const { port1, port2 } = new MessageChannel();
  const hello = { data: 'experimental.bootstrap', source: frame, origin: SITE, ports: [port2] };
  messages.take({ ...hello, source: {} as Window }, frame, SITE);
  messages.take({ ...hello, origin: 'http://evil.example' }, frame, SITE);
  messages.take({ ...hello, data: 'hello' }, frame, SITE);
  messages.take({ ...hello, ports: [] }, frame, SITE);
  messages.take(hello, null, SITE);
  expect(port2.onmessage).toBeNull();
  port1.close();
  port2.close();
});
