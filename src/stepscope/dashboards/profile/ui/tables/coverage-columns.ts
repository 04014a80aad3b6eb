// Operations without time or memory: the columns of their table, and what may be chosen of them.
import type { MissingRow, ReasonCount } from '$api';
import { NONE } from '$web/draw/number';
import { asWords, count } from '$web/widgets/format';
import { builder, time, type Column } from './table-columns';

const field = builder<MissingRow>();
export const COVERAGE_COLUMNS: readonly Column<MissingRow>[] = [
  field('name', 'Operation', 240, 'Node of the graph, instruction of a program, or operation of the trace', {
    numeric: false,
    code: true,
  }),
  field('op', 'Type', 130, 'Type of the operation', { numeric: false, code: true }),
  field('has_time', 'Missing', 76, 'What it lacks: time, or only memory', {
    numeric: false,
    raw: ({ has_time }) => (has_time ? 'memory' : 'time'),
    text: ({ has_time }) => (has_time ? 'memory' : 'time'),
  }),
  field('reason', 'Reason', 140, 'Why it is missing', { numeric: false, text: ({ reason }) => asWords(reason) }),
  field('into', 'Replaced by', 180, 'Operation that does its work or replaced it', { numeric: false, code: true }),
  field('at_most_us', 'At most', 72, 'Upper bound on its time: from its inputs to its consumers', {
    text: ({ at_most_us }) => time(at_most_us),
  }),
  field('evidence', 'Evidence', 320, 'What in the profile shows the reason', {
    numeric: false,
    text: ({ evidence }) => (evidence === '' ? NONE : evidence),
  }),
  field('remedy', 'What to do', 320, 'How to record its time or memory', { numeric: false }),
];

/** "3 fused" and the like, for a button that lists them alone. */
export const countText = ({ reason, operations }: ReasonCount): string => `${asWords(reason)} ${count(operations)}`;
