// The charts that users add, and the form that adds them: fetched when the first is needed.
export { default as PanelCard } from './PanelCard.svelte';
export { default as PanelForm } from './PanelForm.svelte';
