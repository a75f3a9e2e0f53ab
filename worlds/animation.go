package worlds

import (
	"errors"

	"github.com/omnipitch/omnipitch/physics/rules"
	"github.com/omnipitch/omnipitch/worlds/animation"
	"github.com/omnipitch/omnipitch/worlds/schema"
)

// Animation is an animation of a robot.
type Animation struct {
	Name string `toml:"name" required:"true" match:"name" doc:"name by which action play_animation names it"`
	File string `toml:"file" required:"true" fixed:"true" doc:"YAML file with its key frames, relative to the folder of this file, or one that ships: robots/humanoid-kid-wave.yaml"`

	script *animation.Script // until the robot's joints are known
}

// BindNode also reads the file. Errors in it therefore point at its name in the world file.
func (a *Animation) BindNode(n *schema.Node) error {
	err := n.Bind(a)
	key := n.Get("file")
	if err != nil || key == nil || a.File == "" {
		return err
	}
	s := sourcesOf(n)
	var file mapFile
	file.path, file.ships = propFile(s.models.In, a.File, key.File())
	if a.script, err = s.script(file); err != nil {
		return key.Errorf("%w", err)
	}
	a.File = file.path
	return nil
}

// script reads the file of an animation, each only once.
func (s *sources) script(file mapFile) (*animation.Script, error) {
	if known := s.scripts[file]; known != nil {
		return known, nil
	}
	read, shown := s.models.In.Read, file.path
	if file.ships {
		read = func(name string, _ int) ([]byte, error) { return shipped.ReadFile(name) }
		shown = embeddedPrefix + file.path
	}
	data, err := read(file.path, animation.MaxBytes)
	if err != nil {
		return nil, err
	}
	script, err := animation.Parse(shown, data)
	if err != nil {
		return nil, err
	}
	if s.scripts == nil {
		s.scripts = map[mapFile]*animation.Script{}
	}
	s.scripts[file] = script
	return script, nil
}

// bindAnimations sets the animations of a robot whose joints are known. The node has all keys of the robot.
func (r *Robot) bindAnimations(all *schema.Node) error {
	r.playable = nil
	var errs []error
	for i := range r.Animations {
		a := &r.Animations[i]
		if a.script == nil {
			continue
		}
		motion, err := a.script.Of(r.mechanism.Joints)
		a.script = nil
		if err != nil {
			errs = append(errs, all.Get("animation").Errorf("%s: %w", a.Name, err))
			continue
		}
		motion.Name = a.Name
		r.playable = append(r.playable, motion)
	}
	if r.Motion == nil || errs != nil {
		return errors.Join(errs...)
	}
	var names []string
	for i := range r.Animations {
		names = append(names, r.Animations[i].Name)
	}
	keys, used := r.Motion.Names()
	p := r.physics()
	for i, name := range used {
		if p.Animation(name) < 0 {
			errs = append(errs, all.Get("motion").Get(keys[i]).Errorf("the robot has no such animation%s",
				rules.DidYouMean(name, names)))
		}
	}
	return errors.Join(errs...)
}
