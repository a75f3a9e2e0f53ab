package worlds

import "github.com/omnipitch/omnipitch/render"

// Hall describes the surroundings of the field.
type Hall struct {
	render.Hall
	Bystanders int         `toml:"bystanders" range:"[0, 60]" doc:"number of people who stand behind the boards and watch"`
	Clutter    float64     `toml:"clutter" range:"[0, 1]" doc:"amount of cables, bags, boxes and tables next to the lines and behind the boards; 1 means one for each 0.7 m"`
	Seed       uint64      `toml:"seed" range:"[0, 1000000]" doc:"seed of bystanders, clutter and spectators, which only images show and nothing touches, and of the wear of carpet and lines"`
	Balls      []ExtraBall `toml:"ball" merge:"name" maxlen:"100" doc:"additional balls, which are not the game's; only images show them, and nothing touches them"`
}
