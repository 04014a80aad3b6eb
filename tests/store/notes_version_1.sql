-- A file of notes as version 1 of the schema wrote it: keyed by the folder's path, for one user.
BEGIN TRANSACTION;
CREATE TABLE layout (folder TEXT PRIMARY KEY, content TEXT NOT NULL, changed REAL NOT NULL) WITHOUT ROWID;
INSERT INTO "layout" VALUES('/logs/mnist','{"categories":[]}',1.79488694147396922115e+09);
CREATE TABLE memory_mark (folder TEXT, tag TEXT, unit TEXT NOT NULL, PRIMARY KEY (folder, tag)) WITHOUT ROWID;
INSERT INTO "memory_mark" VALUES('/logs/mnist','torch/allocated','GiB');
INSERT INTO "memory_mark" VALUES('/logs/other','vram','MB');
CREATE TABLE run_state (
  folder TEXT NOT NULL, run TEXT NOT NULL,
  display_name TEXT, note TEXT, colour TEXT, hidden INTEGER NOT NULL, pinned INTEGER NOT NULL, changed REAL NOT NULL,
  PRIMARY KEY (folder, run)
) WITHOUT ROWID;
INSERT INTO "run_state" VALUES('/logs/mnist','5f2a9c01b7d3',NULL,'diverged at step 900 — lr too high','#1f77b4',0,1,1.7948869414737443924e+09);
INSERT INTO "run_state" VALUES('/logs/mnist','aaaaaaaaaaaa','baseline',NULL,NULL,0,0,1.79488694147384858132e+09);
INSERT INTO "run_state" VALUES('/logs/mnist','bbbbbbbbbbbb',NULL,NULL,NULL,1,0,1.79488694147388958932e+09);
INSERT INTO "run_state" VALUES('/logs/other','5f2a9c01b7d3',NULL,'elsewhere',NULL,0,0,1794886941.47393);
COMMIT;
