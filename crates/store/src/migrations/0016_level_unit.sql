-- What the number of a level counts.
ALTER TABLE planned_trial ADD COLUMN unit TEXT NOT NULL DEFAULT 'clients'
    CHECK (unit IN ('clients', 'in_flight'));
