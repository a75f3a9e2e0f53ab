// Package sweep runs each of several worlds at each of several points with each of several seeds. A point is a set of
// keys of the worlds and their new values. A job is one run: a world at a point with a seed, run as omnipitch test runs
// it. The jobs wait in a work queue of NATS JetStream. Any number of processes can do jobs, and results survive the end
// of any process:
//
//	plan, err := sweep.Load(ctx, "friction.toml", checks...)   // reads the file, and each world at each point
//	server, err := cluster.Serve(cluster.ServerConfig{Folder: dir}) // in this process, without a port
//	err := (&sweep.Coordinator{...}).Run(ctx, use)                  // calls use with the outcome
//
// A job names its world by the checksum of a bundle of files, and contains no path. The first result of a job is stored
// under the key of the job. A later result of the same job is compared with the first result. Only tables are printed
// by package sweep, and it has no flags.
package sweep
