package render

// Hall configures the surroundings of the field.
type Hall struct {
	Spectators bool    `toml:"spectators" doc:"spectators on stands behind banners all around, instead of plain walls"`
	Carpet     Color   `toml:"carpet_color" doc:"colour of the carpet, as #rrggbb, sRGB; default: green, about #358542"`
	Net        Color   `toml:"net_color" doc:"colour of the goals' nets, as #rrggbb, sRGB; default: white, about #e7e7e7"`
	Wear       float64 `toml:"carpet_wear" range:"[0, 1]" doc:"how much darker the carpet is where it is worn. The natural look shows wear where robots turn and people walk, depending on the seed; the plain look shows patches"`
	Sheen      float64 `toml:"carpet_sheen" range:"[0, 1]" doc:"fraction of the intercepted light that the tips of the carpet's fibres scatter, visible at grazing angles; 0: the carpet is matt. Natural look only"`
	Roll       float64 `toml:"carpet_roll_m" range:"[0, 10]" doc:"width of the carpet's rolls, which lie along x; 0: the carpet is a single piece. Natural look only"`
	Seams      float64 `toml:"carpet_seams" range:"[0, 1]" doc:"how visible the seams between rolls, and the differences between rolls, are"`
	LineWear   float64 `toml:"line_wear" range:"[0, 1]" doc:"how dirty, crooked, creased and torn the markings' tape is, depending on the seed; 0: new. Natural look only; labels of truth images and levels without images use the undamaged markings"`
}
