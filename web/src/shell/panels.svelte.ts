// Which of the page's dialogs is open.

export type PanelName = 'palette' | 'help' | 'health';

class Panels {
  open = $state.raw<PanelName | null>(null);
}

export const panels = new Panels();
