/** Branded ids: the id of one kind of row cannot be given where that of another is wanted. */
export type UserId = number & { readonly idOf: 'user' };
/** Whose a row is: what a workspace owns is kept under it. */
export type WorkspaceId = number & { readonly idOf: 'workspace' };
/** An account that is linked, or that sends. */
export type AccountId = number & { readonly idOf: 'account' };
