// Package farm lets workers render the images of a run. Workers are other processes, which may run on other machines
// and connect over NATS. The result is the same as without workers: the images have the same bytes and arrive at the
// same stamps.
//
// The process of the run has a [Host], which is an omnipitch.Farm. The Host sends the world once, and then for each
// instant the data that the images depend on. A [Worker] has a simulation of the same world, which never makes a step.
// It renders the images and sends them back. Each camera has an owner: a worker or the process of the run. If the owner
// is silent or late for longer than the lease, the camera moves to another owner, and the process of the run renders
// the missing images. Before a worker gets a camera, it must render a frame of the camera that another process renders,
// too. If the bytes of the two frames differ, the worker is refused.
//
//	host, err := farm.New(farm.Config{Conn: conn, Version: version, Renderer: backend.Auto,
//		Lease: farm.DefaultLease, Here: true})
//	sim, err := omnipitch.New(world, omnipitch.Options{Farm: host})
//
//	worker := farm.Worker{Name: "lab-2", Version: version, NewSim: newSim}
//	drawn, err := worker.Serve(ctx, conn)
package farm
