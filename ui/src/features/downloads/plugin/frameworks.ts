// Where files go and what is typed, on the two frameworks that run the plugin.

export interface Framework {
  id: 'oxide' | 'carbon';
  name: string;
  config: string;
  plugins: string;
  reload: string;
}

export const FRAMEWORKS: readonly [Framework, ...Framework[]] = [
  { id: 'oxide', name: 'Oxide', config: 'oxide/config', plugins: 'oxide/plugins', reload: 'oxide.reload Symbolon' },
  { id: 'carbon', name: 'Carbon', config: 'carbon/configs', plugins: 'carbon/plugins', reload: 'c.reload Symbolon' },
];

export function frameworkOf(id: string | null): Framework {
  return FRAMEWORKS.find((one) => one.id === id) ?? FRAMEWORKS[0];
}
