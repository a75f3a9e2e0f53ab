package render

// Hall is the configuration of what is around the field.
type Hall struct {
	Spectators bool    `toml:"spectators" doc:"a colourful crowd on banks behind banners, all around, instead of plain walls"`
	Carpet     Color   `toml:"carpet_color" doc:"as #rrggbb, sRGB; green, about #358542, if left out"`
	Wear       float64 `toml:"carpet_wear" range:"[0, 1]" doc:"how much darker the carpet is where it is worn"`
}
