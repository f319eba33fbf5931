# Calls every function of Ruby's module, right and wrong, in the current directory, and prints what comes of it. Of
# graphs only what is no matter of drawing.
require 'RRD'

def show(name, *arguments)
  answer = RRD.public_send(name, *arguments)
  answer = yield(answer) if block_given?
  puts "#{name} #{arguments.inspect} -> #{answer.inspect}"
rescue StandardError => error
  puts "#{name} #{arguments.inspect} raised #{error.message}"
end

# The module reads a row more than the stretch has. It must be there; what it holds nobody promises.
def without_row_beyond(answer)
  rows = answer.find { |part| part.is_a?(Array) && part[0].is_a?(Array) }
  rows.pop
  answer
end

def without_chance(facts)
  facts.reject { |key, _| key.include?('cur_row') }
end

DEFINITION = ['DS:in:COUNTER:600:0:U', 'DS:out:GAUGE:600:-10:10', 'RRA:AVERAGE:0.5:1:20', 'RRA:MIN:0.5:4:20'].freeze
STRETCH = ['--start', '1000000000', '--end', '1000002400'].freeze

show(:create, 'a.rrd', '--start', '1000000000', '--step', '300', *DEFINITION)
show(:create, 'a.rrd', '--no-overwrite', *DEFINITION)
show(:create, 'b.rrd', 'DS:x:NONSENSE:1:2:3', 'RRA:AVERAGE:0.5:1:20')
show(:update, 'a.rrd', '1000000300:1000:5', '1000000600:4000:7', '1000000900:8000:U')
show(:update, 'a.rrd', '1000000900:1:2')
show(:update, 'missing.rrd', 'N:1:2')
show(:updatev, 'a.rrd', '1000001500:10000:2', '1000002400:20000:3') { |facts| facts.sort }
show(:updatev, 'a.rrd', '1000002400:10000:2')
show(:last, 'a.rrd') { |time| time.to_i }
show(:last, 'missing.rrd')
show(:fetch, 'a.rrd', 'AVERAGE', *STRETCH) { |answer| without_row_beyond(answer) }
# Many rows, so that memory beyond them would be another's.
show(:fetch, 'a.rrd', 'AVERAGE', '--start', '1000000000', '--end', '1003600000') do |answer|
  without_row_beyond(answer)
  answer[3].size
end
show(:fetch, 'missing.rrd', 'AVERAGE', *STRETCH)
show(:info, 'a.rrd') { |facts| without_chance(facts) }
show(:info, 'missing.rrd')
show(:dump, 'a.rrd', 'a.xml')
show(:restore, 'a.xml', 'restored.rrd')
show(:restore, 'missing.xml', 'b.rrd')
show(:tune, 'a.rrd', '--heartbeat', 'in:700')
show(:tune, 'a.rrd', '--heartbeat', 'missing:700')
show(:resize, 'a.rrd', '0', 'GROW', '10')
puts File.size('resize.rrd')
show(:flushcached, 'a.rrd')
show(:xport, *STRETCH, 'DEF:a=a.rrd:in:AVERAGE', 'CDEF:b=a,2,*', 'XPORT:a:in', 'XPORT:b:more') do |answer|
  without_row_beyond(answer)
end
show(:xport, *STRETCH, 'DEF:a=missing.rrd:in:AVERAGE', 'XPORT:a:in')
show(:graph, 'a.png', *STRETCH, 'DEF:a=a.rrd:in:AVERAGE', 'LINE1:a#00ff00:in', 'PRINT:a:LAST:%lf') do |answer|
  [answer[0], answer[1] > 0, answer[2] > 0, File.size('a.png') > 500]
end
show(:graph, 'b.png', *STRETCH, 'DEF:a=missing.rrd:in:AVERAGE', 'LINE1:a#00ff00')
