package main

import (
	"fmt"

	"github.com/omnipitch/omnipitch"
	"github.com/omnipitch/omnipitch/cmd/internal/console"
	"github.com/omnipitch/omnipitch/robotio/gamecontroller"
	"github.com/omnipitch/omnipitch/worlds"
)

// gameControllerFlags are the flags that make a run follow a GameController, or be one.
type gameControllerFlags struct {
	GameController       *string `name:"gamecontroller" placeholder:"ADDR" help:"Follow the GameController of RoboCup's leagues with legs that sends its packets from ADDRESS, ADDRESS:PORT or PORT. It then commands the game. off: follow none, even if the world names one. Default port: 3838."`
	GameControllerServer *string `name:"gamecontroller-server" placeholder:"ADDR" help:"Be a GameController: send packets about the game, twice a second of sim time, to ADDRESS, ADDRESS:PORT or PORT. Without an ADDRESS, only programs on this machine receive them."`
}

func (f *gameControllerFlags) check() error {
	for _, flag := range []struct {
		name string
		addr *string
	}{{"--gamecontroller", f.GameController}, {"--gamecontroller-server", f.GameControllerServer}} {
		if flag.addr == nil || flag.addr == f.GameController && *flag.addr == "off" {
			continue
		}
		addr, err := gamecontroller.ParseAddr(*flag.addr)
		if err != nil {
			return fmt.Errorf("%s = %q: %w", flag.name, *flag.addr, err)
		}
		*flag.addr = addr.String()
	}
	return nil
}

// followed returns the address of the GameController that a run of the world follows. It is empty if there is none.
func (f *gameControllerFlags) followed(w *worlds.World) (addr string, err error) {
	switch {
	case f.GameController != nil && *f.GameController == "off":
		return "", nil
	case f.GameController != nil && w.Referee != worlds.RefereeOff && w.Referee != worlds.RefereeGameController:
		return "", console.BadInputf("--gamecontroller: a game has only one referee: not with referee = %q", w.Referee)
	case f.GameController != nil:
		addr = *f.GameController
	case w.Referee == worlds.RefereeGameController:
		addr = w.GameController.Address
	}
	if addr != "" && f.GameControllerServer != nil {
		return "", console.BadInputf("--gamecontroller-server: the run follows a GameController, and robots receive that " +
			"one's packets")
	}
	return addr, nil
}

// open makes a simulation follow the GameController at addr, unless addr is empty, or be the GameController of
// --gamecontroller-server. It calls say with each warning and note with each note. The returned function ends that.
func (f *gameControllerFlags) open(sim *omnipitch.Sim, addr string, say, note func(string)) (close func(), err error) {
	w := sim.World()
	switch {
	case addr != "":
		at, err := gamecontroller.ParseAddr(addr)
		if err != nil {
			panic(err) // cannot happen: the flag or the world has been checked
		}
		f, err := gamecontroller.Follow(sim, gamecontroller.FollowConfig{Addr: at, Numbers: gamecontroller.NumbersOf(w),
			Say: say})
		if err != nil {
			return nil, console.NetworkError(fmt.Errorf("--gamecontroller: %w", err))
		}
		note("waits for packets of a GameController at port " + fmt.Sprint(at.Port()))
		return func() { _ = f.Close() }, nil
	case f.GameControllerServer != nil:
		at, err := gamecontroller.ParseAddr(*f.GameControllerServer)
		if err != nil {
			panic(err) // cannot happen: the flag has been checked
		}
		g := &w.GameController
		s, err := gamecontroller.Serve(sim, gamecontroller.ServerConfig{Addr: at, Delay: g.Delay,
			Version: gamecontroller.Version(g.Version), Numbers: gamecontroller.NumbersOf(w), Say: note})
		if err != nil {
			return nil, console.NetworkError(fmt.Errorf("--gamecontroller-server: %w", err))
		}
		note(fmt.Sprintf("GameController: sends packets of version %d to %v", g.Version, at))
		return func() { _ = s.Close() }, nil
	}
	return func() {}, nil
}
