// Nothing to call: the library is preloaded, and told where to write by LEYDEN_RECORD.
