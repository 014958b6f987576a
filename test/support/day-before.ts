/** SQL that removes the last day's additions of the frozen 001-schema.sql: the database is then like one that was created a day before. */
export const DAY_BEFORE = `
  drop table moves;
  alter table ledger drop column cell;
  alter table workspaces drop column moved_to;
`;
