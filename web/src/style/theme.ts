// The colours that charts draw with, for both themes, and which theme is showing; tokens.css has the same values for the page.

export type Theme = 'light' | 'dark';

/**
 * Ten hues that stay apart for colour-blind people, then three more shades of each, as far from all others as can be: the same
 * index is the same hue in both themes, and index + 10 a shade of the same hue.
 */
export const runColours: Record<Theme, readonly string[]> = {
  light: [
    ...['#245cfe', '#ef6a00', '#0b8a67', '#d93e19', '#8b44d0', '#34959b', '#f04fa8', '#78492a', '#969557', '#2d336c'],
    ...['#7c89e4', '#ae634f', '#2b6358', '#b20007', '#61049f', '#4c767f', '#772543', '#a98b7c', '#757322', '#54539e'],
    ...['#0321c9', '#b47643', '#057464', '#890909', '#ac7cc2', '#00515e', '#a20084', '#8e5a41', '#4f482a', '#7168b5'],
    ...['#2f81fa', '#e47254', '#18a28d', '#914140', '#8d65d5', '#5b9eac', '#dd2f77', '#8e7461', '#645900', '#3c4a78'],
  ],
  dark: [
    ...['#5b8afb', '#fd9737', '#39db98', '#fb6b79', '#b89afc', '#5ddaee', '#fc78c4', '#b28441', '#e5cf3e', '#7678bd'],
    ...['#5556e5', '#8e5c31', '#bbf6c4', '#bc516e', '#8a4cb8', '#23b2be', '#feb0d1', '#fcda8e', '#e9f038', '#666197'],
    ...['#9fbdfd', '#d5a872', '#6aa274', '#db274b', '#a37bd9', '#457f88', '#d1849e', '#f3b864', '#777b00', '#8c99df'],
    ...['#2178fb', '#e58115', '#327957', '#b96e6b', '#8c65d7', '#afe9f8', '#be5fa0', '#bb9a4f', '#bfc482', '#b3a8e2'],
  ],
};
export const HUES = 10;
export const SHADES = 4;

export type TimeGroup = 'compute' | 'communication' | 'copy' | 'input_wait' | 'host' | 'untraced';

/** The parts of a step have one colour each in every bar, strip, trace and report. */
export const timeColours: Record<Theme, Record<TimeGroup, string>> = {
  light: {
    compute: '#597bff',
    communication: '#662cab',
    copy: '#0f473d',
    input_wait: '#d97816',
    host: '#77601e',
    untraced: '#878e99',
  },
  dark: {
    compute: '#5372e7',
    communication: '#bc98fe',
    copy: '#6bdbc3',
    input_wait: '#df8a43',
    host: '#d9bd5a',
    untraced: '#6d747f',
  },
};

/** What a chart draws besides its data. */
export interface Ink {
  panel: string;
  text: string;
  textSoft: string;
  grid: string;
  axis: string;
  cursor: string;
  selection: string;
  amber: string;
  red: string;
}

export const inks: Record<Theme, Ink> = {
  light: {
    panel: '#ffffff',
    text: '#1b1f26',
    textSoft: '#565d69',
    grid: '#eceef1',
    axis: '#565d69',
    cursor: '#8b929d',
    selection: '#1f5fd0',
    amber: '#8f5600',
    red: '#bb2525',
  },
  dark: {
    panel: '#191c21',
    text: '#e3e6ea',
    textSoft: '#a3aab5',
    grid: '#262a30',
    axis: '#a3aab5',
    cursor: '#6d747f',
    selection: '#7aabff',
    amber: '#e6a93f',
    red: '#ff8278',
  },
};

export const fontFamily =
  "Inter, system-ui, -apple-system, 'Segoe UI', Roboto, 'Noto Sans', 'Liberation Sans', sans-serif";

const darkQuery = '(prefers-color-scheme: dark)';
const printQuery = 'print';

/** The theme that is showing: light on paper, else the user's choice on the root element, else the system's. */
export function currentTheme(): Theme {
  if (window.matchMedia(printQuery).matches) return 'light';
  const chosen = document.documentElement.dataset.theme;
  if (chosen === 'light' || chosen === 'dark') return chosen;
  return window.matchMedia(darkQuery).matches ? 'dark' : 'light';
}

/** Calls back whenever the theme changes, by choice or by the system; returns how to stop. */
export function watchTheme(changed: (theme: Theme) => void): () => void {
  const report = (): void => changed(currentTheme());
  const observer = new MutationObserver(report);
  observer.observe(document.documentElement, { attributeFilter: ['data-theme'] });
  const queries = [darkQuery, printQuery].map((query) => window.matchMedia(query));
  for (const query of queries) query.addEventListener('change', report);
  return () => {
    observer.disconnect();
    for (const query of queries) query.removeEventListener('change', report);
  };
}

/** Colour of a run from its palette index; beyond forty they repeat. */
export function runColour(index: number, theme: Theme): string {
  const colours = runColours[theme];
  return colours[((index % colours.length) + colours.length) % colours.length];
}

/** A colour that the user chose, in another shade: a third of the way to black or white for each. */
export function shadeOf(colour: string, shade: number, theme: Theme): string {
  const end = darkestShade(theme);
  const share = Math.min(shade, SHADES - 1) / SHADES;
  const mixed = [1, 3, 5].map((at) => {
    const [from, to] = [colour, end].map((hex) => parseInt(hex.slice(at, at + 2), 16));
    return Math.round(from + (to - from) * share)
      .toString(16)
      .padStart(2, '0');
  });
  return `#${mixed.join('')}`;
}

/** Where ramps from a run's colour end. */
export function darkestShade(theme: Theme): string {
  return theme === 'light' ? '#0a0e1a' : '#ffffff';
}
