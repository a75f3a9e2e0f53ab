package worlds

import (
	"errors"

	"github.com/omnipitch/omnipitch/physics"
	"github.com/omnipitch/omnipitch/worlds/schema"
)

// Teams are tables of keys that the robots of a team get.
type Teams struct {
	Cyan    templates `toml:"cyan" doc:"keys of a robot that all of team cyan get which do not give them themselves"`
	Magenta templates `toml:"magenta" doc:"the same for team magenta"`
}

// templates is a table that is spent when robots are bound, or before.
type templates struct{}

// BindNode takes any keys.
func (t *templates) BindNode(*schema.Node) error { return nil }

// defaults are the tables team and model of a world.
type defaults struct {
	teams  map[string]*schema.Node
	models map[string]*schema.Node // by the names of their files
	used   map[*schema.Node]bool
}

// defaultsIn finds the tables in a world, and reports those of models that there are not, and keys that each robot has
// to give.
func (s *sources) defaultsIn(world *schema.Node) (defaults, error) {
	d := defaults{map[string]*schema.Node{}, map[string]*schema.Node{}, map[*schema.Node]bool{}}
	var errs []error
	each := func(of string, add func(name string, table *schema.Node), without ...string) {
		list := world.Get(of)
		if list == nil || !list.IsTable() {
			return // which binding the world reports
		}
		for _, name := range list.Keys() {
			table := list.Get(name)
			if !table.IsTable() {
				errs = append(errs, table.Errorf("must be a table"))
				continue
			}
			for _, key := range without {
				if n := table.Get(key); n != nil {
					errs = append(errs, n.Errorf("must stand in each [[robot]]"))
				}
			}
			add(name, table)
		}
	}
	each("team", func(name string, table *schema.Node) { d.teams[name] = table }, "name", "team")
	each("model", func(name string, table *schema.Node) {
		filename, _, err := s.find(robotModels, name, table.File())
		if err != nil {
			errs = append(errs, table.Errorf("%w", err))
			return
		}
		d.models[filename] = table
	}, "name", "team", "model")
	return d, errors.Join(errs...)
}

// unused reports tables in a file that no robot got anything from.
func (d *defaults) unused(filename string) error {
	var errs []error
	for what, tables := range map[string]map[string]*schema.Node{"is of this team": d.teams,
		"has this model": d.models} {
		for _, table := range tables {
			if !d.used[table] && table.File() == filename {
				errs = append(errs, table.Errorf("no robot %s", what))
			}
		}
	}
	return errors.Join(errs...)
}

// withDefaults returns a robot with the keys of its team's table below its own, and those of its model's table below
// these.
func (s *sources) withDefaults(robot *schema.Node) *schema.Node {
	d := &s.defaults
	team := d.teams[s.teamOf(robot)]
	all := robot
	if team != nil {
		d.used[team] = true
		all = robot.Over(team)
	}
	filename, _ := s.modelOf(all)
	model := d.models[filename]
	if model == nil {
		return all
	}
	d.used[model] = true
	return all.Over(model)
}

// teamOf returns the team that a robot names, or its own model does.
func (s *sources) teamOf(robot *schema.Node) string {
	team := robot.Get("team")
	if _, file := s.modelOf(robot); team == nil && file != nil {
		team = file.Root().Get("team")
	}
	if team == nil {
		return string(physics.Cyan)
	}
	name, _ := team.Text()
	return name
}

// modelOf returns the file of the model that a robot names, nil where it names none that there is.
func (s *sources) modelOf(robot *schema.Node) (filename string, file *schema.File) {
	key := robot.Get("model")
	if key == nil {
		return "", nil
	}
	name, _ := key.Text()
	filename, file, _ = s.find(robotModels, name, key.File())
	return filename, file
}
