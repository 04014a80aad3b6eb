// Menu entries that save a chart: as a picture, and its points as a table.
import { startExport } from '../api/jobs';
import type { SeriesRef } from '../api/types';
import type { ChartHandle } from '../charts/types';
import { view } from '../state/choices.svelte';
import { messages } from '../state/messages.svelte';
import { saveMade } from '../state/saved-files';
import { fileName, saveAs } from '../widgets/clipboard';
import type { MenuItem } from '../widgets/Menu.svelte';

async function savePicture(chart: ChartHandle | undefined, title: string, name: string): Promise<void> {
  if (chart === undefined) return;
  try {
    const picture = name.endsWith('png')
      ? await chart.exportPNG(title)
      : new Blob([chart.exportSVG(title)], { type: 'image/svg+xml' });
    saveAs(picture, name);
  } catch (error) {
    messages.fail(error);
  }
}

/** `title` stands in the picture, `name` begins the file's name. */
export function downloadItems(
  chart: ChartHandle | undefined,
  title: string,
  name: string,
  series: readonly SeriesRef[],
): MenuItem[] {
  const saveData = (format: 'csv' | 'json'): void =>
    void saveMade(startExport(format, series, view.segments, view.fold), fileName(name, format));
  const disabled = series.length === 0;
  return [
    { label: 'Download PNG', action: () => void savePicture(chart, title, fileName(name, 'png')) },
    { label: 'Download SVG', action: () => void savePicture(chart, title, fileName(name, 'svg')) },
    { label: 'Download CSV', hint: 'all points', disabled, action: () => saveData('csv') },
    { label: 'Download JSON', hint: 'all points', disabled, action: () => saveData('json') },
  ];
}
