// Starts a file of saved charts: the page's own charts, on the curves that the file contains.
import { mount } from 'svelte';
import '$web/style/fonts.css';
import '$web/style/tokens.css';
import '$web/shell/page.css';
import { followTheme } from '$web/state/choices.svelte';
import { comesWithin } from '$web/style/fonts';
import CurvesFile from './CurvesFile.svelte';
import { openFile } from './embedded';

/** Fonts are in the file; a browser that refuses them uses the system's. */
const LONGEST_WAIT_MS = 1500;

const target = document.getElementById('curves');
if (target === null) throw new Error('The file has no element with the id "curves".');

followTheme();
const answers = document.getElementById('answers')?.textContent ?? '';
void Promise.all([openFile(answers), comesWithin(LONGEST_WAIT_MS).inTime]).then(([file]) =>
  mount(CurvesFile, { target, props: { file } }),
);
