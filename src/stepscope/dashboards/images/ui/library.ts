// The images of the folder, shared by the tab and by the open image.
import { LoggedLibrary } from '$web/media/library.svelte';

export const library = new LoggedLibrary('images');
