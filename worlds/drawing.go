package worlds

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/omnipitch/omnipitch/worlds/schema"
)

// Limits of the search for random values with which a world is valid.
const (
	maxDraws = 1000 // number of draws of the whole world
	// MaxWork limits the work for one seed, see [World.Draw]. Measured: it takes one core about 1.5 s.
	MaxWork = 500_000
	// crowdedAfter is the number of draws after which bodies are placed one after another, if no draw so far had room
	// for all of them. With 32, a world in which every fifth draw has room is placed so at one seed in a thousand.
	crowdedAfter = 32
	maxPlaces    = 2000 // number of places that are tried for one body in one draw
	maxCrammed   = 10   // number of draws in which a body found none of these places free
)

// drawing is the search for random values with which a world is valid.
type drawing struct {
	*sources
	ctx      context.Context // ends the search
	filename string
	file     *schema.File
	bases    []*schema.File
	seed     uint64

	try     uint64
	world   *World
	wrong   error // errors of the files: the first draw finds all errors that do not depend on random values
	refused refusals
	roomy   bool // whether an earlier draw had room for all bodies
	crammed int  // number of draws in which bodies were placed and one of them found no room
	judging int  // work of judging one draw
	past    int  // work until the last call of bind

	placed map[string]bool // bodies with random places, by their paths in a [physics.Model]; whether they can be moved
	// paths of the structs on whose random values the judgement of a draw depends; nil if it may depend on others, too
	deciding map[string]bool
}

// search draws random values until the world is accepted. The first draw has already been bound. If no draw was
// accepted, the returned world is nil.
func (d *drawing) search() (*World, error) {
	bodies := 1 + len(d.world.Robots) + len(d.world.AllObstacles())
	d.judging = d.file.ValuesIn("require") * (1 + bodies/50) // a line of sight takes longer with many bodies
	for ; d.try < maxDraws && d.crammed < maxCrammed && d.work() < MaxWork; d.try++ {
		if err := d.ctx.Err(); err != nil {
			return nil, err
		}
		whole := d.try == 0
		if !whole && !d.bindDeciding() {
			d.bind()
			whole = true
		}
		refused := d.judge()
		if refused == nil && !whole {
			d.bind()
			refused = d.judge()
		}
		if refused == nil {
			d.world.draws = int(d.try) + 1
			return d.world, d.wrong
		}
		d.refused.add(schema.Flatten(refused))
	}
	err := d.file.Locate(d.refused.most(d.seed, int(d.try)))
	return nil, errors.Join(schema.Flatten(errors.Join(d.wrong, err))...)
}

// work returns the work of the search so far; see [World.Draw].
func (d *drawing) work() int { return d.past + d.file.Values() }

// bind draws all random values and binds the files with them.
func (d *drawing) bind() {
	w := defaultWorld()
	w.file = d.file
	d.past = d.work()
	d.file.Draw(schema.Draws{Seed: d.seed, Try: d.try, Judged: d.sources.judged || d.try > 0})
	root := d.file.Root().Over(schema.Roots(d.bases)...)
	var err error
	d.defaults, err = d.defaultsIn(root)
	// In a random world, a table that no robot uses is no error: another draw may use it.
	if err = errors.Join(err, root.Bind(&w)); err == nil && !d.file.Random() {
		err = d.defaults.unused(d.filename)
	}
	if d.wrong == nil {
		d.wrong = err
	}
	w.layFloor()
	w.Seed = d.seed
	w.fail(d.wrong)
	w.assignNumbers()
	d.world = &w
	if w.physicsRead() && d.file.Random() {
		d.findRandom()
	}
}

// findRandom sets placed and deciding.
func (d *drawing) findRandom() {
	d.placed, d.deciding = map[string]bool{}, map[string]bool{}
	for _, path := range d.file.Drawn() {
		list, index, key := element(path)
		part, at, known := firstKey(key), "", false // at is the struct with the value, if a draw is judged by it
		switch list {
		case "light", "hall", "event", "expect":
			known = true
		case "ball":
			at, part = "ball", key
		case "obstacle":
			at = fmt.Sprintf("obstacle[%d]", index)
		case "robot":
			_, _, setting := element(strings.TrimPrefix(key, part))
			known = part == "skin" || part == "sensor" && setting != "" && setting != "level" && setting != "kind"
			if part == "pose" {
				at = fmt.Sprintf("robot[%d].pose", index)
			}
		}
		switch {
		case at != "" && d.deciding != nil:
			d.deciding[at] = true
		case !known && at == "":
			d.deciding = nil
		}
		if p := placing[list]; slices.Contains(p.by, part) {
			body := strings.Replace(p.body, "#", strconv.Itoa(index), 1)
			if body == "" {
				body = d.world.pathInModel(fmt.Sprintf("%s[%d]", list, index))
			}
			moves := !strings.HasPrefix(body, "Props") && slices.Contains(p.moved, part)
			d.placed[body] = d.placed[body] || moves && !d.file.Shared(path)
		}
	}
}

// placing lists, for each list of bodies in a file, the bodies' paths in a [physics.Model], the keys that affect
// whether a body has room, and those of them that change when the body is moved. Paths of boxes and cylinders depend on
// whether they move.
var placing = map[string]struct {
	body      string
	by, moved []string
}{
	"robot":    {"Robots[#]", []string{"pose", "model", "body"}, []string{"pose"}},
	"obstacle": {"Obstacles[#]", []string{"pose", "size_x_m", "size_y_m", "height_m"}, []string{"pose"}},
	"box":      {"", []string{"pose", "z_m", "size_m"}, []string{"pose"}},
	"cylinder": {"", []string{"pose", "z_m", "radius_m", "height_m"}, []string{"pose"}},
	"prop":     {"Props[#]", []string{"hang", "file", "scale", "collides"}, nil},
	"ball":     {"Ball", []string{"x_m", "y_m", "z_m", "radius_m"}, []string{"x_m", "y_m"}},
}

// element splits a path such as robot[3].pose.x_m into the list, the index and the rest. The index is 0 if the path
// has none.
func element(path string) (list string, index int, rest string) {
	list = firstKey(path)
	rest = path[len(list):]
	if inner, found := strings.CutPrefix(rest, "["); found {
		number, after, _ := strings.Cut(inner, "]")
		index, _ = strconv.Atoi(number)
		rest = after
	}
	return list, index, strings.TrimPrefix(rest, ".")
}

// bindDeciding draws all values on which the judgement of a draw depends, and binds only their structs. It reports
// whether that was possible.
func (d *drawing) bindDeciding() bool {
	for _, path := range slices.Sorted(maps.Keys(d.deciding)) {
		if d.rebind(path) != nil {
			return false
		}
	}
	return d.deciding != nil
}

// rebind binds a struct of the world again: the pose of a body, an obstacle, or the ball.
func (d *drawing) rebind(path string) error {
	w := d.world
	var dst any
	switch list, index, key := element(path); {
	case list == "ball":
		w.Ball = defaultWorld().Ball
		dst = &w.Ball
	case list == "robot":
		w.Robots[index].Pose = Pose{}
		dst = &w.Robots[index].Pose
	case list == "box":
		w.Boxes[index].Pose = Pose{}
		dst = &w.Boxes[index].Pose
	case list == "cylinder":
		w.Cylinders[index].Pose = Pose{}
		dst = &w.Cylinders[index].Pose
	case key == "pose":
		w.Obstacles[index].Pose = Pose{}
		dst = &w.Obstacles[index].Pose
	default:
		w.Obstacles[index] = Obstacle{}
		w.Obstacles[index].SetDefaults()
		dst = &w.Obstacles[index]
	}
	return d.file.Rebind(path, schema.Draws{Seed: d.seed, Try: d.try, Judged: true}, dst)
}

// judge returns the [schema.Violation]s because of which the draw is refused. A world with errors is not judged.
func (d *drawing) judge() error {
	if !d.world.physicsRead() {
		return nil
	}
	d.past += d.judging
	places := d.misplaced()
	if d.try < crowdedAfter {
		d.roomy = d.roomy || places == nil
	} else if places != nil && !d.roomy {
		d.place()
		if places = d.misplaced(); places != nil {
			d.crammed++
		}
	}
	return errors.Join(places, d.world.unmet(d.world.startState()))
}

// misplaced reports bodies with random places that have no room there.
func (d *drawing) misplaced() error {
	m := d.world.Model()
	return d.world.inKeys(m, m.ValidatePlaces(func(body string) bool {
		_, random := d.placed[body]
		return random
	}))
}

// place moves bodies one after another to random places with room.
func (d *drawing) place() {
	m := d.world.Model()
	m.Place(func(body string) bool { return d.placed[body] }, func(body string, try uint64) bool {
		list, index, _ := element(body)
		path := "ball"
		switch list {
		case "Robots":
			path = fmt.Sprintf("robot[%d].pose", index)
		case "Obstacles":
			path = d.world.AllObstacles()[index].Path() + ".pose"
		}
		if try > maxPlaces || d.work() >= MaxWork || d.ctx.Err() != nil {
			return false
		}
		d.file.Redraw(path, try)
		if d.rebind(path) != nil {
			return false
		}
		switch list {
		case "Robots":
			m.Robots[index].Pose = d.world.Robots[index].Pose.Spatial()
		case "Obstacles":
			m.Obstacles[index].Pose = d.world.AllObstacles()[index].Pose.Spatial()
		default:
			m.Ball = d.world.Ball.Ball
		}
		return true
	})
}
