/** The options of an infinite query over an operation that pages by cursor. */
export const cursorPaging = {
  initialPageParam: undefined as string | undefined,
  getNextPageParam: (last: { next_cursor?: string | null | undefined }) => last.next_cursor ?? undefined,
};
