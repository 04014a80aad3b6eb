// From rows and edges to boxes and lines: sizes of boxes, the layered layout, what stands aside, and where shapes can be written.
import { fitMiddle, textWidth } from '$web/charts/measure';
import { visibleName } from '$web/runs/names';
import { fontFamily } from '$web/style/theme';
import { count, plural } from '$web/widgets/format';
import type { GraphViewAnswer, GraphViewEdge, GraphViewRow } from './answers';
import type { Box } from './camera';
import type { ElkGraph, ElkNode } from './elk';

export const NAME_SIZE = 12;
export const SMALL_SIZE = 11;
export const NAME_FONT = `${NAME_SIZE}px ${fontFamily}`;
export const BOLD_FONT = `600 ${NAME_SIZE}px ${fontFamily}`;
export const SMALL_FONT = `${SMALL_SIZE}px ${fontFamily}`;
/** Room for the sign that opens and closes. */
export const SIGN = 20;
export const HEADER = 28;
/** How far the boxes of a stack are apart. */
export const STACK = 3;
const LEAST_WIDTH = 72;
const MOST_WIDTH = 220;
const SIDE = 12;
const PADDING = 14;
const ASIDE_GAP = 8;
const ASIDE_COLUMN = 10;

export interface PlacedRow extends Box {
  readonly row: GraphViewRow;
  readonly index: number;
  readonly name: string;
  /** Below the name: the operation, or how much is in it. */
  readonly detail: string;
  /** What a click at its right end does: open, close, or show the function that it calls. */
  readonly sign: Sign;
  /** Rows that stand aside and that it gets tensors from, or gives them to. */
  readonly stubs: number;
}

export interface PlacedEdge {
  readonly edge: GraphViewEdge;
  /** x and y of its corners; empty when an end of it stands aside. */
  readonly points: readonly number[];
  readonly width: number;
  readonly box: Box;
  readonly label: { readonly text: string; readonly x: number; readonly y: number } | null;
}

export interface Placed {
  readonly rows: readonly PlacedRow[];
  readonly edges: readonly PlacedEdge[];
  readonly width: number;
  readonly height: number;
}

export type Sign = '' | '+' | '−' | 'ƒ';

type Measured = Pick<PlacedRow, 'name' | 'detail' | 'sign' | 'width' | 'height'>;

export const canOpen = (row: GraphViewRow): boolean => row.kind === 'scope' || row.kind === 'series';

function signOf(row: GraphViewRow): Sign {
  if (canOpen(row)) return row.open ? '−' : '+';
  return row.calls.length > 0 ? 'ƒ' : '';
}

/** An operation that the name already tells is not written twice. */
const saidByName = (name: string, op: string): boolean =>
  name
    .replace(/^\(|\)$/g, '')
    .replace(/_\d+$/, '')
    .toLowerCase() === op.toLowerCase();

export function detailOf(row: GraphViewRow): string {
  if (row.kind === 'series') return `${count(row.members ?? 0)} similar, ${plural(row.nodes, 'node')}`;
  if (row.kind === 'scope' || row.kind === 'rest') return plural(row.nodes, 'node');
  return saidByName(row.name, row.op) ? '' : visibleName(row.op);
}

function measured(row: GraphViewRow): Measured {
  const font = row.kind === 'node' ? NAME_FONT : BOLD_FONT;
  const sign = signOf(row);
  const beside = sign === '' ? 0 : SIGN;
  const room = MOST_WIDTH - 2 * SIDE - beside;
  const name = fitMiddle(visibleName(row.name), room, font);
  const detail = fitMiddle(detailOf(row), room, SMALL_FONT);
  const wide = Math.max(textWidth(name, font), textWidth(detail, SMALL_FONT)) + beside;
  return {
    name,
    detail,
    sign,
    width: Math.ceil(Math.max(LEAST_WIDTH, wide + 2 * SIDE)),
    height: detail === '' ? 28 : 42,
  };
}

/** More careful with few rows; with many, an answer within a second is worth more than a crossing less. */
function effortFor(rows: number): Record<string, string> {
  if (rows <= 120) return { 'elk.layered.thoroughness': '7' };
  return {
    'elk.layered.thoroughness': rows <= 300 ? '3' : '1',
    'elk.layered.crossingMinimization.greedySwitch.type': 'OFF',
  };
}

const ROOT = 'root';
const idOf = (index: number | null): string => (index === null ? ROOT : `r${index}`);

/** Sizes of the rows that stand aside in each scope: one column at its right side. */
function columnsAside(rows: readonly GraphViewRow[], sizes: readonly Measured[]): Map<string, Measured[]> {
  const found = new Map<string, Measured[]>();
  rows.forEach((row, index) => {
    const size = sizes[index];
    if (!isAside(row) || size === undefined) return;
    const of = found.get(idOf(row.parent)) ?? [];
    found.set(idOf(row.parent), [...of, size]);
  });
  return found;
}

const isAside = (row: GraphViewRow): boolean => row.aside && !row.open;
const widest = (sizes: readonly Measured[]): number => Math.max(0, ...sizes.map(({ width }) => width));
const tallest = (sizes: readonly Measured[]): number =>
  sizes.reduce((sum, { height }) => sum + height + ASIDE_COLUMN, -ASIDE_COLUMN);

export function elkGraphOf({ rows, edges }: Pick<GraphViewAnswer, 'rows' | 'edges'>): ElkGraph {
  const sizes = rows.map(measured);
  const columns = columnsAside(rows, sizes);
  const root: ElkGraph = {
    id: ROOT,
    children: [],
    edges: [],
    layoutOptions: {
      'elk.algorithm': 'layered',
      'elk.direction': 'DOWN',
      'elk.hierarchyHandling': 'INCLUDE_CHILDREN',
      'elk.edgeRouting': 'ORTHOGONAL',
      'elk.json.shapeCoords': 'ROOT',
      'elk.json.edgeCoords': 'ROOT',
      'elk.padding': '[top=0,left=0,bottom=0,right=0]',
      'elk.spacing.nodeNode': '22',
      'elk.spacing.edgeNode': '14',
      'elk.spacing.edgeEdge': '8',
      'elk.spacing.componentComponent': '32',
      'elk.layered.spacing.nodeNodeBetweenLayers': '36',
      'elk.layered.spacing.edgeNodeBetweenLayers': '14',
      'elk.layered.spacing.edgeEdgeBetweenLayers': '8',
      'elk.layered.considerModelOrder.strategy': 'NODES_AND_EDGES',
      'elk.layered.nodePlacement.strategy': 'BRANDES_KOEPF',
      'elk.layered.nodePlacement.bk.fixedAlignment': 'BALANCED',
      ...effortFor(rows.length),
    },
  };
  const nodes = new Map<string, ElkNode>([[ROOT, root]]);
  rows.forEach((row, index) => {
    const { width, height } = sizes[index] as Measured;
    const node: ElkNode = { id: idOf(index), width, height };
    if (row.open) {
      const column = columns.get(node.id) ?? [];
      const right = column.length > 0 ? widest(column) + ASIDE_GAP + 2 * PADDING : PADDING;
      const tall = column.length > 0 ? tallest(column) + HEADER + 2 * PADDING : 0;
      node.children = [];
      node.layoutOptions = {
        'elk.padding': `[top=${HEADER + PADDING},left=${PADDING},bottom=${PADDING},right=${right}]`,
        'elk.nodeSize.constraints': 'MINIMUM_SIZE',
        'elk.nodeSize.minimum': `(${Math.max(width, right + PADDING)},${Math.max(height, tall)})`,
      };
    }
    if (!isAside(row)) nodes.get(idOf(row.parent))?.children?.push(node);
    nodes.set(node.id, node);
  });
  edges.forEach(({ source, target }, place) => {
    const [from, to] = [rows[source], rows[target]];
    if (from === undefined || to === undefined || isAside(from) || isAside(to)) return;
    root.edges.push({ id: `e${place}`, sources: [idOf(source)], targets: [idOf(target)] });
  });
  return root;
}

/** Thicker with more tensors, as the logarithm: 1, 2, 4 and 8 tensors can be told apart. */
export const widthOf = (tensors: number): number => (tensors <= 1 ? 1 : Math.min(6, 1 + Math.log2(tensors) * 0.75));

/** How one edge is called beside its line. */
export function shapeText({ tensors, shapes, more_shapes }: GraphViewEdge): string {
  const [shape = ''] = shapes;
  if (tensors === 0) return '';
  if (tensors === 1) return shape;
  return shapes.length === 1 && more_shapes === 0 ? `${count(tensors)} × ${shape}` : `${count(tensors)} tensors`;
}

function boxOf(points: readonly number[]): Box {
  let [left, top, right, bottom] = [Infinity, Infinity, -Infinity, -Infinity];
  for (let i = 0; i < points.length; i += 2) {
    const [x, y] = [points[i] as number, points[i + 1] as number];
    [left, right] = [Math.min(left, x), Math.max(right, x)];
    [top, bottom] = [Math.min(top, y), Math.max(bottom, y)];
  }
  return { x: left, y: top, width: right - left, height: bottom - top };
}

export const overlap = (one: Box, other: Box): boolean =>
  one.x < other.x + other.width &&
  other.x < one.x + one.width &&
  one.y < other.y + other.height &&
  other.y < one.y + one.height;

const sidesOf = ({ x, y, width, height }: Box): Box[] => [
  { x: x - 1, y, width: 2, height },
  { x: x + width - 1, y, width: 2, height },
  { x, y: y + height - 1, width, height: 2 },
];

/** Shapes beside the lines wherever no box, line or other text is in the way. */
function labelled(edges: readonly PlacedEdge[], rows: readonly PlacedRow[]): PlacedEdge[] {
  const taken: Box[] = rows.flatMap((row) => (row.row.open ? [{ ...row, height: HEADER }, ...sidesOf(row)] : [row]));
  const lines: Box[] = [];
  for (const { points } of edges)
    for (let i = 0; i + 3 < points.length; i += 2) {
      const { x, y, width, height } = boxOf(points.slice(i, i + 4));
      lines.push({ x: x - 1, y: y - 1, width: width + 2, height: height + 2 });
    }
  const index = new Buckets([...taken, ...lines]);
  return edges.map((placed) => {
    const text = fitMiddle(shapeText(placed.edge), 160, SMALL_FONT);
    if (text === '') return placed;
    const { points } = placed;
    const [wide, tall] = [textWidth(text, SMALL_FONT), SMALL_SIZE + 2];
    for (let i = 0; i + 3 < points.length; i += 2) {
      const [x, from, to] = [points[i] as number, points[i + 1] as number, points[i + 3] as number];
      if (x !== points[i + 2] || Math.abs(to - from) < tall + 4) continue;
      for (const left of [x + 5 + placed.width / 2, x - 5 - placed.width / 2 - wide]) {
        const spot = { x: left, y: (from + to) / 2 - tall / 2, width: wide, height: tall };
        if (index.hits(spot)) continue;
        index.add(spot);
        return { ...placed, label: { text, x: spot.x, y: spot.y + tall / 2 } };
      }
    }
    return placed;
  });
}

/** Boxes by the squares of a grid that they touch, so that one is compared only with those near it. */
class Buckets {
  private readonly cells = new Map<string, Box[]>();

  constructor(boxes: readonly Box[]) {
    for (const box of boxes) this.add(box);
  }

  add(box: Box): void {
    for (const key of this.touched(box)) {
      const cell = this.cells.get(key);
      if (cell === undefined) this.cells.set(key, [box]);
      else cell.push(box);
    }
  }

  hits(box: Box): boolean {
    return this.touched(box).some((key) => this.cells.get(key)?.some((other) => overlap(box, other)) === true);
  }

  private touched({ x, y, width, height }: Box): string[] {
    const keys: string[] = [];
    const CELL = 256;
    for (let row = Math.floor(y / CELL); row <= Math.floor((y + height) / CELL); row++)
      for (let column = Math.floor(x / CELL); column <= Math.floor((x + width) / CELL); column++)
        keys.push(`${column},${row}`);
    return keys;
  }
}

function stubsOf({ rows, edges }: Pick<GraphViewAnswer, 'rows' | 'edges'>): Map<number, number> {
  const found = new Map<number, number>();
  for (const { source, target } of edges) {
    const [from, to] = [rows[source], rows[target]];
    if (from === undefined || to === undefined) continue;
    if (isAside(from) && !isAside(to)) found.set(target, (found.get(target) ?? 0) + 1);
    if (isAside(to) && !isAside(from)) found.set(source, (found.get(source) ?? 0) + 1);
  }
  return found;
}

/** Puts the answer of ELK and the rows together. */
export function placedOf(view: Pick<GraphViewAnswer, 'rows' | 'edges'>, laid: ElkGraph): Placed {
  const sizes = view.rows.map(measured);
  const stubs = stubsOf(view);
  const boxes = new Map<string, Box>();
  const collect = (node: ElkNode): void => {
    boxes.set(node.id, { x: node.x ?? 0, y: node.y ?? 0, width: node.width ?? 0, height: node.height ?? 0 });
    node.children?.forEach(collect);
  };
  collect(laid);
  const inner = boxes.get(ROOT) ?? { x: 0, y: 0, width: 0, height: 0 };
  const columns = columnsAside(view.rows, sizes);
  const tops = new Map<string, number>();
  const rows = view.rows.map((row, index): PlacedRow => {
    const size = sizes[index] as Measured;
    const base = { row, index, ...size, stubs: stubs.get(index) ?? 0 };
    if (!isAside(row)) return { ...base, ...(boxes.get(idOf(index)) ?? { x: 0, y: 0 }) };
    const parent = idOf(row.parent);
    const around = boxes.get(parent) ?? inner;
    const wide = widest(columns.get(parent) ?? []);
    const isTop = row.parent === null;
    const top = tops.get(parent) ?? (isTop ? 0 : around.y + HEADER + PADDING);
    tops.set(parent, top + size.height + ASIDE_COLUMN);
    const x = isTop ? inner.width + 4 * ASIDE_GAP : around.x + around.width - PADDING - wide;
    return { ...base, x, y: top };
  });
  const lines = new Map(laid.edges.map((edge) => [edge.id, edge]));
  const edges = view.edges.map((edge, place): PlacedEdge => {
    const points = (lines.get(`e${place}`)?.sections ?? []).flatMap(({ startPoint, bendPoints, endPoint }) =>
      [startPoint, ...(bendPoints ?? []), endPoint].flatMap(({ x, y }) => [x, y]),
    );
    return { edge, points, width: widthOf(edge.tensors), box: boxOf(points), label: null };
  });
  return {
    rows,
    edges: labelled(edges, rows),
    width: rows.reduce((most, { x, width }) => Math.max(most, x + width), inner.width),
    height: rows.reduce((most, { y, height }) => Math.max(most, y + height), inner.height),
  };
}
