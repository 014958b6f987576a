/** SQL that reverts the last changes to 001-schema.sql before it was frozen: the database is then as one written a day before. */
export const DAY_BEFORE = `
  drop table moves;
  alter table ledger drop column cell;
  alter table workspaces drop column moved_to;
`;
