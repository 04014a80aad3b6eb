// The curves of the folder, shared by the tab and its cards.
import { LoggedLibrary } from '$web/media/library.svelte';

export const library = new LoggedLibrary('pr_curves');
