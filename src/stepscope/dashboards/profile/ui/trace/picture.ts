// The trace as a picture to save: what is on screen, with the ruler and the names of the tracks.
import { fontFamily } from '$web/style/theme';
import type { Stage } from './overlay';
import { RULER } from './ruler';
import type { Row } from './track-rows';

export interface Pictured {
  tracks: HTMLCanvasElement;
  ruler: HTMLCanvasElement;
  /** CSS pixels of the names. */
  labels: number;
  stage: Stage;
  /** What stands beside the ruler. */
  caption: string;
}

const nameOf = (row: Row): string => (row.kind === 'process' ? row.name : row.track.name);

/** Text that fits, with its middle left out where it does not, as on screen. */
export function fitted(text: string, room: number, width: (text: string) => number): string {
  const most = text.length > 200 ? `${text.slice(0, 100)}${text.slice(-100)}` : text;
  if (text.length <= 200 && width(text) <= room) return text;
  for (let kept = most.length - 1; kept > 2; kept -= 1) {
    const short = `${most.slice(0, Math.ceil(kept / 2))}…${most.slice(-Math.floor(kept / 2))}`;
    if (width(short) <= room) return short;
  }
  return '…';
}

export function pictureOf({ tracks, ruler, labels, stage, caption }: Pictured): Promise<Blob | null> {
  const ratio = tracks.width / stage.width;
  const made = document.createElement('canvas');
  made.width = Math.round((labels + stage.width) * ratio);
  made.height = Math.round((RULER + stage.height) * ratio);
  const pen = made.getContext('2d');
  if (pen === null) return Promise.resolve(null);
  pen.scale(ratio, ratio);
  pen.fillStyle = stage.ink.panel;
  pen.fillRect(0, 0, labels + stage.width, RULER + stage.height);
  pen.drawImage(ruler, labels, 0, stage.width, RULER);
  pen.drawImage(tracks, labels, RULER, stage.width, stage.height);
  pen.textBaseline = 'middle';
  pen.fillStyle = stage.ink.textSoft;
  pen.font = `12px ${fontFamily}`;
  pen.fillText(caption, 12, RULER / 2);
  pen.beginPath();
  pen.rect(0, RULER, labels, stage.height);
  pen.clip();
  pen.fillStyle = stage.ink.text;
  for (const row of stage.visible) {
    const heading = row.kind === 'process';
    pen.font = `${heading ? '600 ' : ''}12px ${fontFamily}`;
    const indent = heading ? 8 : 28;
    const text = fitted(nameOf(row), labels - indent - 8, (part) => pen.measureText(part).width);
    pen.fillText(text, indent, RULER + row.y - stage.top + (heading ? row.height / 2 : 9));
  }
  return new Promise((done) => made.toBlob(done, 'image/png'));
}
