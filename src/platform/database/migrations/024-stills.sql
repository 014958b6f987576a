-- Stills of films (docs/explanation/decisions/0100-let-browsers-make-the-stills-of-films.md).
-- Locks: media exclusively, for milliseconds: a null column needs no rewrite.
alter table media add column still bytea;  -- of a film: a JPEG within STILL_EDGE of src/content/media/pictures.ts; null: none
