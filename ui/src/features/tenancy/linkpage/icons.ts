// Pictures of the buttons. Plain signs instead of logos: the names are in the label.

import AtSign from '@lucide/svelte/icons/at-sign';
import CodeXml from '@lucide/svelte/icons/code-xml';
import CirclePlay from '@lucide/svelte/icons/circle-play';
import Download from '@lucide/svelte/icons/download';
import ExternalLink from '@lucide/svelte/icons/external-link';
import Gamepad2 from '@lucide/svelte/icons/gamepad-2';
import Globe from '@lucide/svelte/icons/globe';
import MessageCircle from '@lucide/svelte/icons/message-circle';
import MessagesSquare from '@lucide/svelte/icons/messages-square';
import Newspaper from '@lucide/svelte/icons/newspaper';
import Radio from '@lucide/svelte/icons/radio';
import ShoppingCart from '@lucide/svelte/icons/shopping-cart';
import type { NavigationIcon } from '$lib/api/schema';
import type { Icon } from '$lib/ui/types';

export const ICONS: Record<Exclude<NavigationIcon, 'none'>, Icon> = {
  discord: MessageCircle,
  steam: Gamepad2,
  youtube: CirclePlay,
  x: AtSign,
  twitch: Radio,
  github: CodeXml,
  shop: ShoppingCart,
  forum: MessagesSquare,
  news: Newspaper,
  download: Download,
  globe: Globe,
  external: ExternalLink,
};

export function iconOf(name: NavigationIcon): Icon | undefined {
  return name === 'none' ? undefined : ICONS[name];
}
