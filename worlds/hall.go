package worlds

import "github.com/omnipitch/omnipitch/render"

// Hall is what is around the field.
type Hall struct {
	render.Hall
	Bystanders int          `toml:"bystanders" range:"[0, 60]" doc:"people who stand behind the boards and look at the field"`
	Clutter    float64      `toml:"clutter" range:"[0, 1]" doc:"how many cables, bags, boxes and tables lie and stand beside the lines and behind the boards; 1: one for each 0.7 m"`
	Seed       uint64       `toml:"seed" range:"[0, 1000000]" doc:"draws bystanders, clutter and spectators, which are seen in images alone, and touched by nothing, and what use has made of carpet and lines"`
	Balls      []BallBeside `toml:"ball" merge:"name" maxlen:"100" doc:"that lie about, each of which is not the game's: seen in images alone, and touched by nothing"`
}
