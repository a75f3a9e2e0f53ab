// Command go plays for one field robot, named by ROS_NAMESPACE. It answers each perception with a command. The
// decisions are its own. The world model, the skills and the places at set pieces are those of the reference robot.
package main

import (
	"fmt"
	"os"

	"github.com/omnipitch/omnipitch/cmd/refbot/pitch"
	"github.com/omnipitch/omnipitch/cmd/refbot/soccer"
	"github.com/omnipitch/omnipitch/cmd/refbot/wire"
	"github.com/omnipitch/omnipitch/cmd/refbot/world"
	"github.com/omnipitch/omnipitch/robotio/msg"
)

// decide returns the command for the present world. Positions are in m from the centre of the field: x towards the
// opponents' goal, y to the left.
func decide(w *world.World) soccer.Command {
	job := soccer.Supporter
	if goes(w) {
		job = soccer.Attacker
	}
	switch {
	case !w.Known || w.Game.Phase == world.Stopped || w.Game.Phase == world.Parked:
		return soccer.Stop(w, w.Me.Heading)
	case w.Game.Phase == world.TakePlaces: // at the distance from the ball that the rules require
		return soccer.TakePositions(w, job)
	case w.Game.Waiting &&
		// the taker passes, because a goal counts only after a second robot has touched the ball
		w.Game.SetPiece != world.DroppedBall:
		return soccer.StartPlay(w, job)
	case job == soccer.Attacker && w.Hold.Is:
		return attack(w)
	case job == soccer.Attacker:
		return soccer.Fetch(w)
	}
	return support(w)
}

// goes reports whether the robot plays the ball, because no teammate reaches it earlier. The taker of a set piece
// leaves the ball to others.
func goes(w *world.World) bool {
	if w.Hold.Is || w.Game.Taker == w.Me.Number {
		return w.Hold.Is
	}
	_, mine := soccer.Intercept(w, w.Me.Pos) // s
	first := true
	w.Mates(func(m *world.Robot) {
		_, in := soccer.Intercept(w, m.Pos)
		first = first && (m.Number == w.Game.Taker || mine < in || mine == in && w.Me.Number < m.Number)
	})
	return first
}

// attack carries the ball towards the goal and shoots. The rules let a robot carry it for 3 m, so it plays the ball
// ahead of itself before that.
func attack(w *world.World) soccer.Command {
	goal := w.Pitch.TheirGoal()
	far := pitch.Distance(w.Ball.Pos, goal)
	aim, room := soccer.Aim(w) // point between the posts, and the free angle beside the shot
	switch {
	case far < 4.6, far < 7 && room > 0.03 && w.Carried() > 1.4:
		return soccer.Shoot(w, aim, pitch.Vec{})
	case w.Carried() < 1.4:
		return soccer.Carry(w, goal)
	}
	return soccer.KickTo(w, goal, 2, soccer.Flat, pitch.Vec{})
}

// support stays behind the ball, towards the centre of the own half, and faces the ball.
func support(w *world.World) soccer.Command {
	at := pitch.Toward(w.Ball.Pos, pitch.Vec{-w.Pitch.Length / 4, 0}, 2.5)
	return soccer.GoTo(w, soccer.DriveGoal{Pos: at, Heading: soccer.Facing(w, w.Ball.Pos), Ball: 1, Speed: 2.5})
}

func main() {
	model := world.NewModel()
	robot, err := wire.Connect(wire.Config{Namespace: os.Getenv("ROS_NAMESPACE"),
		MasterURI: os.Getenv("ROS_MASTER_URI")},
		wire.Silent(func(m *msg.Perception) msg.RobotCommand {
			w := model.Update(m)
			c := decide(w)
			return c.Message(w)
		}))
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	<-robot.Done()
}
