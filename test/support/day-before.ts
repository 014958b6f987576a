/** SQL that takes from the frozen 001-schema.sql what it got on its last day: a database is then as one that was written a day before. */
export const DAY_BEFORE = `
  drop table moves;
  alter table ledger drop column cell;
  alter table workspaces drop column moved_to;
`;
