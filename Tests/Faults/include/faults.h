// Nothing to call: the library is preloaded, and told what to do by LEYDEN_FAULT.
