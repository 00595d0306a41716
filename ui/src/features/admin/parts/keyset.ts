// Lists that the server gives out piece by piece, each with the way to the next.

import { createInfiniteQuery, keepPreviousData } from '@tanstack/svelte-query';

interface Piece {
  next_after?: string | null;
}
interface Paging {
  after?: string;
  limit: number;
}
interface Options<A extends Piece> {
  key: readonly unknown[];
  load: (paging: Paging, signal: AbortSignal) => Promise<A>;
  /** How often it is read again by itself. */
  every?: number;
}

const PAGE = 50;

export function createKeyset<A extends Piece>(options: () => Options<A>) {
  return createInfiniteQuery(() => {
    const { key, load, every } = options();
    return {
      queryKey: [...key, 'pages'],
      queryFn: ({ pageParam, signal }: { pageParam: string | null; signal: AbortSignal }) => load({ limit: PAGE, ...(pageParam !== null && { after: pageParam }) }, signal),
      initialPageParam: null as string | null,
      getNextPageParam: (last: A) => last.next_after ?? null,
      placeholderData: keepPreviousData,
      refetchInterval: every,
    };
  });
}

/** What all pieces hold together; what two of them share is listed once. */
export function gathered<A, T>(pages: readonly A[] | undefined, of: (page: A) => readonly T[], key: (one: T) => string | number): T[] {
  return [...new Map(pages?.flatMap((page) => of(page).map((one) => [key(one), one] as const))).values()];
}
