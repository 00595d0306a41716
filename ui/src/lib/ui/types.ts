import type { Component } from 'svelte';

/** An icon of the icon set: `import Users from '@lucide/svelte/icons/users'`. */
export type Icon = Component<{ size?: number | string }>;
export type Tone = 'ok' | 'info' | 'warn' | 'bad' | 'neutral' | 'accent';

/** What a Field hands to the control inside it. */
export interface ControlAttributes {
  id: string;
  'aria-describedby': string | undefined;
  'aria-invalid': 'true' | undefined;
}

export interface Choice<V extends string = string> {
  value: V;
  label: string;
  disabled?: boolean;
}

export interface MenuItem {
  label: string;
  icon?: Icon;
  /** A page to go to; otherwise `onselect` is called. */
  href?: string;
  onselect?: () => void;
  /** For choices: shown with a check mark when true. */
  checked?: boolean;
}

export interface Column {
  label: string;
  /** Numbers go to the right. */
  end?: boolean;
  /** The label is read aloud but not shown, as for a column of buttons. */
  quiet?: boolean;
  /** The rows are in the order of this column; `none` when they could be. */
  sort?: 'ascending' | 'descending' | 'none';
  /** Makes the label a button. A phone shows no labels: the page offers the order in another way there. */
  onsort?: () => void;
}

export interface Command {
  id: string;
  label: string;
  hint?: string;
  icon?: Icon;
  /** Other words it is found by. */
  words?: string[];
  run: () => void;
}
