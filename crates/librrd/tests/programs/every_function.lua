-- Calls every function of Lua's module, right and wrong, in the current directory, and prints what comes of it. Of
-- graphs only what is no matter of drawing.
local rrd = require 'rrd'

-- A value in one line, tables by their sorted keys.
local function text(value)
    if type(value) ~= 'table' then
        return value ~= value and 'nan' or tostring(value)
    end
    local keys, parts = {}, {}
    for key in pairs(value) do
        keys[#keys + 1] = key
    end
    table.sort(keys, function(a, b) return tostring(a) < tostring(b) end)
    for _, key in ipairs(keys) do
        if not tostring(key):find('cur_row') then
            parts[#parts + 1] = tostring(key) .. '=' .. text(value[key])
        end
    end
    return '{' .. table.concat(parts, ' ') .. '}'
end

local function show(name, ...)
    local answers = {pcall(rrd[name], ...)}
    io.write(name)
    for nth = 1, select('#', ...) do
        io.write(' ', (select(nth, ...)))
    end
    io.write(' ->')
    for nth = 1, #answers do
        io.write(' ', text(answers[nth]))
    end
    io.write('\n')
end

local definition = {'DS:in:COUNTER:600:0:U', 'DS:out:GAUGE:600:-10:10', 'RRA:AVERAGE:0.5:1:20', 'RRA:MIN:0.5:4:20'}
local stretch = {'--start', '1000000000', '--end', '1000002400'}
local first = {'--start', '1000000000', '--end', '1000000900'}

local function with(before, after)
    local all = {}
    for _, list in ipairs({before, after}) do
        for _, word in ipairs(list) do
            all[#all + 1] = word
        end
    end
    return unpack(all)
end

show('create', 'a.rrd', '--start', '1000000000', '--step', '300', unpack(definition))
show('create', 'b.rrd', 'DS:x:NONSENSE:1:2:3', 'RRA:AVERAGE:0.5:1:20')
show('update', 'a.rrd', '1000000300:1000:5', '1000000600:4000:7', '1000000900:8000:U')
show('update', 'a.rrd', '1000000900:1:2')
show('update', 'missing.rrd', 'N:1:2')
show('updatev', 'a.rrd', '1000001500:10000:2', '1000002400:20000:3')
show('first', 'a.rrd')
show('first', 'a.rrd', '--rraindex', '7')
show('last', 'a.rrd')
show('last', 'missing.rrd')
show('fetch', 'a.rrd', 'AVERAGE', unpack(first))
show('fetch', 'missing.rrd', 'AVERAGE', unpack(first))
show('info', 'a.rrd')
show('info', 'missing.rrd')
show('dump', 'a.rrd', 'a.xml')
show('restore', 'a.xml', 'restored.rrd')
show('tune', 'a.rrd', '--heartbeat', 'in:700')
show('tune', 'a.rrd', '--heartbeat', 'missing:700')
show('resize', 'a.rrd', '0', 'GROW', '10')
show('flushcached', 'a.rrd')
show('graph', 'b.png', with(stretch, {'DEF:a=missing.rrd:in:AVERAGE', 'LINE1:a#00ff00'}))
local drawn = rrd.graph('a.png', with(stretch, {'DEF:a=a.rrd:in:AVERAGE', 'LINE1:a#00ff00:in', 'PRINT:a:LAST:%lf'}))
print(text(drawn))
show('xport', with(first, {'DEF:a=a.rrd:in:AVERAGE', 'CDEF:b=a,2,*', 'XPORT:a:in', 'XPORT:b:more'}))
-- Leaves Debian's library loaded: unloaded with what it drew still in its threads, it crashes in one run of ten.
os.exit(0)
