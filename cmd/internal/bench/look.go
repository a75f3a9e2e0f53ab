package bench

import (
	"github.com/omnipitch/omnipitch/abstraction"
	"github.com/omnipitch/omnipitch/render"
)

// natural returns the same images in natural light.
func (s *stills) natural() *stills {
	scene := *s.scene
	scene.Natural = true
	other := *s
	other.scene = &scene
	return &other
}

// looks measures images in natural light. Each alternates with the same image in plain light.
func (b *renderBench) looks(attack, ten *stills) error {
	plain, err := b.draws.New(attack.scene)
	if err != nil {
		return err
	}
	defer plain.Close()
	lit := attack.natural()
	natural, err := b.draws.New(lit.scene)
	if err != nil {
		return err
	}
	defer natural.Close()
	for _, p := range pictures {
		if p.depthAlone {
			continue
		}
		one := attack.of[stillOf{p.robot, p.sensor, p.level}]
		if err := b.againstPlainLook(p.name, p.level, lit.draw(natural, one), attack.draw(plain, one)); err != nil {
			return err
		}
	}
	for _, level := range []abstraction.Level{abstraction.Ideal, abstraction.Raw} {
		var all []render.View
		for i := range ten.world.Robots {
			all = append(all, ten.of[stillOf{ten.world.Robots[i].Name, "omni", level}])
		}
		draw, end, err := ten.drawTogether(b.draws, all)
		if err != nil {
			return err
		}
		drawLit, endLit, err := ten.natural().drawTogether(b.draws, all)
		if err == nil {
			err = b.againstPlainLook("ten_omni_640x640", level, drawLit, draw)
			endLit()
		}
		end()
		if err != nil {
			return err
		}
	}
	return nil
}

// againstPlainLook adds the time of an image in natural light and the time of the same image in plain light.
func (b *renderBench) againstPlainLook(picture string, level abstraction.Level, natural, plain func() error) error {
	lit, plains, err := inTurns(b.ctx, b.rounds, natural, plain)
	if err != nil {
		return err
	}
	name := b.name(picture, level)
	b.report.compare("ms", "natural_"+name, name, lit.wall, plains.wall)
	b.report.compare("ms", "natural_"+name+"_cpu", name+"_cpu", lit.cpu, plains.cpu)
	return nil
}
