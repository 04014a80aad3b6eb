// Starts the page: state first, then the components that show it.
import { mount } from 'svelte';
import App from './App.svelte';
import './style/tokens.css';
import './shell/page.css';
import { startChoices } from './state/choices.svelte';
import { clock } from './state/clock.svelte';
import { folder } from './state/folder.svelte';
import { runs } from './state/runs.svelte';

startChoices();
clock.start();
folder.start();
runs.start();

const place = document.getElementById('app');
if (place === null) throw new Error('The page has no element with the id "app".');
mount(App, { target: place });
