// @vitest-environment happy-dom
// What a server offers is provided to the components inside; a saved file provides none of it.
import { mount, unmount, type Component } from 'svelte';
import { expect, it } from 'vitest';
import { provideServerActions, serverActions, type ServerActions } from './server-actions';

const actions = { chooseRange: () => undefined } as unknown as ServerActions;

async function found(provide: boolean): Promise<ServerActions | undefined> {
  let seen: ServerActions | undefined;
  const Inside = (() => {
    if (provide) provideServerActions(actions);
    seen = serverActions();
    return {};
  }) as unknown as Component;
  await unmount(mount(Inside, { target: document.body }));
  return seen;
}

it('is there where it was provided, and nowhere else', async () => {
  expect(await found(true)).toBe(actions);
  expect(await found(false)).toBeUndefined();
});
