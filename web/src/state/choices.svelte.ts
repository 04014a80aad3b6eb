// Holds the view and the preferences, and keeps the address bar and the browser's storage in step with them.
import { untrack } from 'svelte';
import { currentTheme, watchTheme, type Theme as ShownTheme } from '../style/theme';
import { changedKeys, readAddress, writeAddress } from './address';
import { changedSince, keptOf, loadPreferences, savePreferences, type Preferences, type Theme } from './preferences';
import { tensorboardView } from './tensorboard-link';
import { defaultView, type View } from './view';

const noStorage: Pick<Storage, 'getItem' | 'setItem'> = { getItem: () => null, setItem: () => undefined };

function storage(): Pick<Storage, 'getItem' | 'setItem'> {
  try {
    return window.localStorage;
  } catch {
    return noStorage;
  }
}

export const browserStorage = storage();

export const preferences: Preferences = $state(loadPreferences(browserStorage));

/** An address that says nothing starts with what this browser kept; any other is taken as it is, a link of TensorBoard's too. */
function firstView(): View {
  const linked = tensorboardView(location.search, location.hash);
  if (linked !== null) {
    // What it asked for is in our own words from now on, so that it does not come back after a change.
    history.replaceState(null, '', location.pathname + writeAddress(linked));
    return linked;
  }
  if (location.hash.length > 1) return readAddress(location.hash);
  try {
    // Through the address and back, so that whatever was stored is checked like an address is.
    return readAddress(writeAddress({ ...defaultView(), ...$state.snapshot(preferences).view }));
  } catch {
    return defaultView();
  }
}

export const view: View = $state(firstView());

class ShownThemeState {
  current = $state.raw<ShownTheme>('light');
}
/** The theme that is showing now, for what is drawn with numbers instead of CSS. */
export const shownTheme = new ShownThemeState();

export function chooseTheme(theme: Theme): void {
  preferences.theme = theme;
}

/** The address of this view, to share. */
export function addressOf(shared: View): string {
  return new URL(writeAddress(shared), location.href).toString();
}

const WRITE_AFTER_MS = 150;
/** Changes of the same kind that follow each other this soon, as a slider or typing makes them, are one step back. */
const ONE_STEP_MS = 1000;
/** What the Profile tab finds out by itself as often as a user chooses it: Back goes by its session, worker and view. */
const NO_STEP = new Set(
  (
    'part step rows by tablecolumns rowsby calls stepsby range against againstrange trend trendby hlotree program op memory layers ' +
    'scope minbytes turned levers cores stepms batch tokens epochsof request span us area areaby path replay ' +
    'alignat finding search tracks folded unfolded toptracks ' +
    'trackorder marks'
  ).split(' '),
);

/** The settings as the address gave them or the user left them, to see what the user changes next. */
let settings = $state.snapshot(keptOf(view));

function keepAddress(): void {
  let written = writeAddress(view);
  let timer: ReturnType<typeof setTimeout> | undefined;
  let changed = '';
  let changedAt = -Infinity;
  $effect(() => {
    const address = writeAddress(view);
    clearTimeout(timer);
    timer = setTimeout(() => {
      if (address === written) return;
      const keys = changedKeys(written, address);
      const step = keys.filter((key) => !NO_STEP.has(key)).join(' ');
      const now = performance.now();
      const goesOn = step === changed && now - changedAt < ONE_STEP_MS;
      written = address;
      // Back undoes each change of the view; a slider must not fill the history.
      if (step === '' || goesOn) history.replaceState(null, '', address);
      else history.pushState(null, '', address);
      changed = step;
      changedAt = now;
    }, WRITE_AFTER_MS);
  });
  const read = (): void => {
    if (location.hash === written) return;
    Object.assign(view, tensorboardView('', location.hash) ?? readAddress(location.hash));
    settings = $state.snapshot(keptOf(view));
    written = writeAddress(view);
    changed = '';
  };
  window.addEventListener('hashchange', read);
  window.addEventListener('popstate', read);
}

/** Keeps `shownTheme` in step with the system's theme and the chosen one. */
export function followTheme(): void {
  shownTheme.current = currentTheme();
  watchTheme((theme) => (shownTheme.current = theme));
}

export function startChoices(): void {
  $effect.root(() => {
    keepAddress();
    $effect(() => {
      const now = $state.snapshot(keptOf(view));
      const changed = changedSince(settings, now);
      settings = now;
      if (Object.keys(changed).length > 0) preferences.view = { ...untrack(() => preferences.view), ...changed };
    });
    $effect(() => {
      savePreferences(browserStorage, $state.snapshot(preferences));
    });
    $effect.pre(() => {
      if (preferences.theme === 'system') delete document.documentElement.dataset['theme'];
      else document.documentElement.dataset['theme'] = preferences.theme;
      shownTheme.current = currentTheme();
    });
  });
  followTheme();
}
