import Leyden
