package robotio

import (
	"github.com/omnipitch/omnipitch/abstraction"
	"github.com/omnipitch/omnipitch/physics"
	"github.com/omnipitch/omnipitch/physics/spatial"
	"github.com/omnipitch/omnipitch/sensors"
)

// robotWords are what a robot knows about itself: its names, and the truth about it.
func robotWords() *lexicon {
	l := newLexicon()
	l.Texts["robot"] = func(s *scene) string { return s.robot.Name }
	l.Texts["team"] = func(s *scene) string { return string(s.robot.Team) }
	l.Texts["team.prefix"] = func(s *scene) string { return s.prefix(s.robot.Team) }
	l.Texts["sensor"] = func(s *scene) string {
		if s.cfg == nil {
			return ""
		}
		return s.cfg.Name
	}
	l.Texts["level"] = func(s *scene) string {
		if s.o == nil {
			return ""
		}
		return string(s.o.Level)
	}
	l.plain("number", func(s *scene) float64 { return float64(s.robot.Number) })
	l.plain("agent", func(s *scene) float64 { return float64(agent(s.robot)) })
	l.flag("holding", func(s *scene) bool { return s.truth.Ball.HeldBy == s.index })
	l.flag("stuck", func(s *scene) bool { return s.state().Stuck })
	l.plain("charge", func(s *scene) float64 { return s.state().Charge })
	l.plain("kicks", func(s *scene) float64 { return float64(s.state().Kicks) })
	l.pose("truth.", func(s *scene) spatial.Pose { return s.state().PoseWB })
	l.pose("truth.field.", func(s *scene) spatial.Pose { return teamFrame(s.robot.Team).Mul(s.state().PoseWB) })
	l.twist("truth.", func(s *scene) physics.PlanarTwist { return s.state().TwistWBInB() })
	return l
}

// outcomeWords are what became of a request.
func outcomeWords() *lexicon {
	l := newLexicon()
	l.flag("answer.holding", func(s *scene) bool { return s.outcome.Holding })
	l.flag("answer.kicked", func(s *scene) bool { return s.outcome.Kicked })
	l.flag("answer.done", func(s *scene) bool { return s.err == nil })
	l.Texts["answer.error"] = func(s *scene) string {
		if s.err == nil {
			return ""
		}
		return s.err.Error()
	}
	return l
}

// wordsOf returns the words of a topic by what it is from: of cameras only those that hold at each of the levels.
func wordsOf(from string, levels []abstraction.Level) words {
	w := worldWords().words
	if from == fromWorld {
		return w
	}
	w = w.With(robotWords().words)
	kind := sensors.Kind(from)
	if from == fromRobot {
		return w
	}
	if !kind.Pictures() {
		return w.With(deviceWords(kind).words)
	}
	w = w.With(lensWords().words)
	switch contentOf(from, levels) {
	case pictures:
		w = w.With(pictureWords(kind).words)
	case features:
		w = w.With(featureWords().words)
	case objects:
		w = w.With(objectWords().words)
	}
	return w
}

// content is what a camera's observation holds.
type content uint8

const (
	mixed content = iota // not the same at all levels, or nothing that only cameras have
	pictures
	features
	objects
)

// contentOf is what a camera delivers at all of the levels.
func contentOf(from string, levels []abstraction.Level) (c content) {
	if !sensors.Kind(from).Pictures() {
		return mixed
	}
	for i, l := range levels {
		now := objects
		switch {
		case l.Rendered():
			now = pictures
		case l == abstraction.Features:
			now = features
		}
		if i > 0 && now != c {
			return mixed
		}
		c = now
	}
	return c
}

// in tells whether an observation holds the content: one of a level that somebody else plugged in need not.
func (c content) in(o *sensors.Observation) bool {
	switch c {
	case pictures:
		return o.Color != nil
	case features:
		return o.Features != nil
	case objects:
		return o.Objects != nil
	}
	return true
}

const (
	fromWorld = "world"
	fromRobot = "robot"
)
