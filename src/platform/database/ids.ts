/** Branded ids, so that the id of an acting user and the id of a row's workspace cannot be confused. */
export type UserId = number & { readonly idOf: 'user' };
export type WorkspaceId = number & { readonly idOf: 'workspace' };
