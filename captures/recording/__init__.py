"""How the captures beside this folder are recorded, derived and checked."""
