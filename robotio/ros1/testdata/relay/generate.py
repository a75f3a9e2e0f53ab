# Generates roscpp's headers or rospy's modules: generate.py cpp|py FROM TO, FROM holding package/msg/*.msg and
# package/srv/*.srv, with the generators behind ROS's build.
import os, sys
import genmsg, genmsg.template_tools, genpy.generator, genpy.generate_initpy

language, source, out = sys.argv[1:4]
packages = sorted(os.listdir(source))
files = {p: {k: sorted(os.path.join(source, p, k, f) for f in os.listdir(os.path.join(source, p, k)))
             for k in ('msg', 'srv') if os.path.isdir(os.path.join(source, p, k))} for p in packages}
includes = ['%s:%s' % (p, os.path.join(source, p, 'msg')) for p in packages]
search = genmsg.command_line.includepath_to_dict(includes)
for p in packages:
    for kind, names in files[p].items():
        if language == 'cpp':
            for f in names:
                genmsg.template_tools.generate_from_file(f, p, os.path.join(out, p), '/usr/share/gencpp', includes,
                    {'msg.h.template': '@NAME@.h'}, {'srv.h.template': '@NAME@.h'})
            continue
        folder = os.path.join(out, p, kind)
        os.makedirs(folder)
        generator = genpy.generator.MsgGenerator() if kind == 'msg' else genpy.generator.SrvGenerator()
        if generator.generate_messages(p, names, folder, search): sys.exit(1)
        genpy.generate_initpy.write_modules(folder)
        open(os.path.join(out, p, '__init__.py'), 'w').close()
