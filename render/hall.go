package render

// Hall configures the surroundings of the field.
type Hall struct {
	Spectators bool    `toml:"spectators" doc:"a colourful crowd on banks behind banners, all around, instead of plain walls"`
	Carpet     Color   `toml:"carpet_color" doc:"as #rrggbb, sRGB; green, about #358542, if left out"`
	Net        Color   `toml:"net_color" doc:"of the goals' nets, as #rrggbb, sRGB; white, about #e7e7e7, if left out"`
	Wear       float64 `toml:"carpet_wear" range:"[0, 1]" doc:"how much darker the carpet is where it is worn: in the natural look where robots turn and people walk, by the seed; in the plain one in patches"`
	Sheen      float64 `toml:"carpet_sheen" range:"[0, 1]" doc:"share of the light that the tips of the carpet's fibres scatter of what they stop, seen where one looks along the carpet; 0: it is matt. In the natural look alone"`
	Roll       float64 `toml:"carpet_roll_m" range:"[0, 10]" doc:"width of the carpet's rolls, which lie along x; 0: it is of one piece. In the natural look alone"`
	Seams      float64 `toml:"carpet_seams" range:"[0, 1]" doc:"how well seams between rolls are seen, and that no two rolls are alike"`
	LineWear   float64 `toml:"line_wear" range:"[0, 1]" doc:"how dirty, crooked, creased and torn the tape of the markings is, by the seed; 0: as new. In the natural look alone; labels of truth images and levels without images know the tape where it belongs"`
}
