// Starts the page: state first, then the components that show it, in the page's own fonts.
import { mount, unmount } from 'svelte';
import App from './App.svelte';
import './style/fonts.css';
import './style/tokens.css';
import './shell/page.css';
import { askAheadOf } from './shell/dashboards';
import { componentOf } from './shell/tabs';
import { startChoices, view } from './state/choices.svelte';
import { clock } from './state/clock.svelte';
import { folder } from './state/folder.svelte';
import { runs } from './state/runs.svelte';
import { comesWithin } from './style/fonts';

startChoices();
// What the tab of the address shows first is asked for before its code: browsers keep no more than six requests on their way.
askAheadOf(view.tab, view);
void componentOf(view.tab)?.fetch();
clock.start();
folder.start();
runs.start();

const place = document.getElementById('app');
if (place === null) throw new Error('The page has no element with the id "app".');
const target = place;

/** Fonts come sooner than the code, so this is no wait; a link that is very slow shows the system's fonts until they are there. */
const LONGEST_WAIT_MS = 1500;
const { inTime, loaded } = comesWithin(LONGEST_WAIT_MS);
void inTime.then((there) => {
  const app = mount(App, { target });
  if (there) return;
  // Whatever was measured or drawn in another font is made anew; the state is not the components'.
  void loaded.then(async (late) => {
    if (!late) return;
    await unmount(app);
    mount(App, { target });
  });
});
