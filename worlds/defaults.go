package worlds

import (
	"errors"

	"github.com/omnipitch/omnipitch/physics"
	"github.com/omnipitch/omnipitch/worlds/schema"
)

// Teams are the tables of keys that apply to all robots of a team.
type Teams struct {
	Cyan    templates `toml:"cyan" doc:"keys for all robots of team cyan that do not give them themselves"`
	Magenta templates `toml:"magenta" doc:"the same for team magenta"`
}

// templates stands for a table that is not read when the world is bound. Its keys are read before that, or when robots
// are bound.
type templates struct{}

// BindNode accepts any keys.
func (t *templates) BindNode(*schema.Node) error { return nil }

// defaults are the tables team and model of a world. They give keys to all robots of a team or of a model.
type defaults struct {
	teams  map[string]*schema.Node
	models map[string]*schema.Node // tables by the file names of the models
	used   map[*schema.Node]bool
}

// defaultsIn returns the tables team and model of a world. It reports tables for models that do not exist, and keys
// that each robot must give itself.
func (s *sources) defaultsIn(world *schema.Node) (defaults, error) {
	d := defaults{map[string]*schema.Node{}, map[string]*schema.Node{}, map[*schema.Node]bool{}}
	var errs []error
	each := func(of string, add func(name string, table *schema.Node), without ...string) {
		list := world.Get(of)
		if list == nil || !list.IsTable() {
			return // binding the world reports the wrong type
		}
		for _, name := range list.Keys() {
			table := list.Get(name)
			if !table.IsTable() {
				errs = append(errs, table.Errorf("must be a table"))
				continue
			}
			for _, key := range without {
				if n := table.Get(key); n != nil {
					errs = append(errs, n.Errorf("must be in each [[robot]]"))
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

// unused reports the tables in a file from which no robot got any key.
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

// withDefaults returns a robot with additional keys. The robot's own keys override the keys of its team's table, and
// these override the keys of its model's table.
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

// teamOf returns the team that a robot names. If the robot names none, it returns the team that the robot's model
// names.
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

// modelOf returns the file of the model that a robot names. file is nil if there is no such file.
func (s *sources) modelOf(robot *schema.Node) (filename string, file *schema.File) {
	key := robot.Get("model")
	if key == nil {
		return "", nil
	}
	name, _ := key.Text()
	filename, file, _ = s.find(robotModels, name, key.File())
	return filename, file
}
