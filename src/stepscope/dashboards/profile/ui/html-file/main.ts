// Starts a saved report: the overview's own components, on the answers that the file contains.
import { mount } from 'svelte';
import '$web/style/fonts.css';
import '$web/style/tokens.css';
import '$web/shell/page.css';
import { followTheme } from '$web/state/choices.svelte';
import { comesWithin } from '$web/style/fonts';
import '../profile.css';
import { embeddedAnswers } from './embedded';
import ReportFile from './ReportFile.svelte';

/** Fonts are in the file; a browser that refuses them uses the system's. */
const LONGEST_WAIT_MS = 1500;

const target = document.getElementById('report');
if (target === null) throw new Error('The file has no element with the id "report".');
const answers = embeddedAnswers();

followTheme();
void comesWithin(LONGEST_WAIT_MS).inTime.then(() => mount(ReportFile, { target, props: { answers } }));
