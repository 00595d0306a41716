-- The error log is read newest first, of one Org or of all, a page at a time.
CREATE INDEX error_log_of_org ON error_log (org_num, minute, num);
CREATE INDEX error_log_by_time ON error_log (minute, num);
DROP INDEX error_log_age;
